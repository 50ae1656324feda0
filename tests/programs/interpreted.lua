-- Lua at work: a table sorted, coroutines, patterns, closures, errors.
local rounds = tonumber(arg[1])
local numbers, sum = {}, 0

for i = 1, 400 * rounds do
	numbers[i] = (i * 7919) % 10007
end
table.sort(numbers, function(a, b) return a > b end)
local next_one = coroutine.wrap(function()
	for i = 1, 20 * rounds do
		coroutine.yield(i)
	end
end)
for _ = 1, 20 * rounds do
	sum = sum + next_one()
end
local text = ("hart "):rep(rounds):gsub("%w+", string.upper)
print(numbers[1], numbers[#numbers], sum, #text, pcall(error, "as expected"))
