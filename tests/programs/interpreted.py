# Python at work: a dictionary of words, recursion, exceptions, objects, long numbers.
import sys

rounds = int(sys.argv[1])


class Node:
    def __init__(self, value, rest=None):
        self.value, self.rest = value, rest

    def __iter__(self):
        node = self
        while node:
            yield node.value
            node = node.rest


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def divide(a, b):
    try:
        return a // b
    except ZeroDivisionError as error:
        return str(error)


words = {}
with open(__file__) as file:
    text = file.read()
for _ in range(rounds):
    for word in text.split():
        words[word] = words.get(word, 0) + 1
chain = None
for i in range(20 * rounds):
    chain = Node(divide(i, i % 3), chain)
print(sorted(words.items(), key=lambda item: (-item[1], item[0]))[:3], fibonacci(10 + rounds % 10))
print(sum(1 for value in chain if isinstance(value, str)), 7 ** (50 * rounds) % 1000007)
