/* C++ over the C headers: objects that close what they opened, errors as exceptions, and blocks in
 * a for loop.  Header only, C++17.
 *
 *   hartscope::source run(hartscope::source_options("app.rec"));
 *   for (hartscope::items items : run)
 *           for (const hs_block &b : items)
 *                   ...
 *
 * Every object gives the C one by get(), so that all calls of the C headers can be used with it.
 * Threads: as the C objects; an object belongs to one thread at a time.
 */
#ifndef HARTSCOPE_HARTSCOPE_HPP
#define HARTSCOPE_HARTSCOPE_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <hartscope/compare.h>
#include <hartscope/counts.h>
#include <hartscope/source.h>
#include <hartscope/trace_params.h>

namespace hartscope {

/** A call failed. */
class error : public std::runtime_error {
public:
	error(hs_status status, const std::string &text) : std::runtime_error(text), status_(status)
	{
	}

	/** What hs_status_get_class() puts into HS_CLASS_CALLER or above. */
	hs_status status() const noexcept
	{
		return status_;
	}

private:
	hs_status status_;
};

/** Throw error unless @status is HS_OK; the text is that of @e where it is of this status. */
inline void check(hs_status status, const hs_error *e = nullptr)
{
	if (status != HS_OK)
		throw error(status, e && e->status == status ? e->text : hs_status_text(status));
}

/** An object of the C headers that ends with this one. */
template <typename T, void (*Free)(T *)> class handle {
public:
	T *get() const noexcept
	{
		return object_.get();
	}

protected:
	handle() = default;

	void take(T *object) noexcept
	{
		object_.reset(object);
	}

private:
	struct ender {
		void operator()(T *object) const noexcept
		{
			Free(object);
		}
	};
	std::unique_ptr<T, ender> object_;
};

/** Parameters of a trace (trace_params.h). */
class trace_params : public handle<hs_trace_params, hs_trace_params_free> {
public:
	/** The defaults of "ntrace" or "etrace". */
	explicit trace_params(const char *protocol)
	{
		hs_error e{};
		hs_trace_params *made = nullptr;

		check(hs_trace_params_new(protocol, &made, &e), &e);
		take(made);
	}

	/** Set one, as of --set. */
	trace_params &set(const char *name, const std::string &value)
	{
		hs_error e{};

		check(hs_trace_params_set(get(), name, value.c_str(), &e), &e);
		return *this;
	}
};

/** What to open and how: struct hs_source_options, with the texts that it points to. */
class source_options {
public:
	/** A recording, a flow or a trace. */
	explicit source_options(std::string path) : path_(std::move(path))
	{
	}

	/** An ELF file of the program. */
	source_options &elf(std::string path)
	{
		elf_.push_back(std::move(path));
		return *this;
	}

	/** Also read symbols and lines. */
	source_options &names(bool wanted = true)
	{
		c_.names = wanted;
		return *this;
	}

	/** Parameters of a trace, which are copied when it is opened. */
	source_options &params(const trace_params &params)
	{
		c_.params = params.get();
		return *this;
	}

	/** Only what a hart executed. */
	source_options &hart(std::uint32_t number)
	{
		c_.one_hart = true;
		c_.hart = number;
		return *this;
	}

	/** Threads that may decode a trace. */
	source_options &threads(std::uint32_t count)
	{
		c_.threads = count;
		return *this;
	}

	/** All members, to set others; path and code are set when it is opened. */
	hs_source_options &c() noexcept
	{
		return c_;
	}

private:
	friend class source;

	hs_source *open() const
	{
		std::vector<hs_code_file> code(elf_.size());
		hs_source_options o = c_;
		hs_source *made = nullptr;
		hs_error e{};

		for (std::size_t i = 0; i < elf_.size(); i++) {
			code[i].kind = HS_CODE_ELF;
			code[i].path = elf_[i].c_str();
		}
		o.size = sizeof(o);
		o.path = path_.c_str();
		if (!code.empty()) {
			o.code = code.data();
			o.code_count = code.size();
		}
		check(hs_source_open(&o, &made, &e), &e);
		return made;
	}

	std::string path_;
	std::vector<std::string> elf_;
	hs_source_options c_{};
};

/** Some blocks and events, in the library's memory: valid until the next ones are taken. */
class items {
public:
	items() = default;
	items(const hs_block *first, std::size_t count) : first_(first), count_(count)
	{
	}

	const hs_block *begin() const noexcept
	{
		return first_;
	}

	const hs_block *end() const noexcept
	{
		return first_ + count_;
	}

	std::size_t size() const noexcept
	{
		return count_;
	}

private:
	const hs_block *first_ = nullptr;
	std::size_t count_ = 0;
};

class source;

/** What ran, and how often (counts.h). */
class counts : public handle<hs_counts, hs_counts_free> {
public:
	/** @param run   Whose programs name functions: it stays open as long as this is used.
	 *  @param what  enum hs_counts_what, added up.
	 *  @param by    What functions are counted by. */
	explicit counts(source &run, std::uint32_t what = HS_COUNTS_PROFILE,
	                hs_profile_by by = HS_PROFILE_BY_NOTHING);

	void add(const items &some)
	{
		check(hs_counts_add(get(), some.begin(), some.size()));
	}

	/** What was counted so far; arrays are valid until the next call. */
	hs_profile_result profile()
	{
		hs_profile_result r{};

		check(hs_counts_get_profile(get(), &r));
		return r;
	}

	hs_calls_result calls()
	{
		hs_calls_result r{};

		check(hs_counts_get_calls(get(), &r));
		return r;
	}

	hs_call_tree_result tree()
	{
		hs_call_tree_result r{};

		check(hs_counts_get_tree(get(), &r));
		return r;
	}

	/** The tree without its paths. */
	hs_call_graph_result graph()
	{
		hs_call_graph_result r{};

		check(hs_counts_get_graph(get(), &r));
		return r;
	}
};

/** Where blocks come from (source.h). */
class source : public handle<hs_source, hs_source_close> {
public:
	/** @throws error  As hs_source_open() fails. */
	explicit source(const source_options &options)
	{
		take(options.open());
	}

	/** What could not be read of the data, since the last start; reading goes on after it. */
	const std::vector<error> &damage() const noexcept
	{
		return damage_;
	}

	/** Read again from the start. */
	void rewind()
	{
		hs_error e{};

		damage_.clear();
		check(hs_source_rewind(get(), &e), &e);
	}

	/** The next items; false: there are no more.
	 * @throws error  As hs_source_next() fails, but for damage, which is kept: damage(). */
	bool next(items &out)
	{
		const hs_block *first = nullptr;
		std::size_t count = 0;
		hs_error e{};
		const hs_status s = hs_source_view(get(), &first, &count, &e);

		out = items(first, count);
		if (s != HS_OK && s != HS_END)
			note(s, e);
		return s != HS_END || count != 0;
	}

	/** Count all of it from the start, on as many threads as there may be; what order means
	 * nothing to costs far less than a loop over the items.
	 * @throws error  As next() does. */
	void count(counts &to)
	{
		struct {
			source *self;
			std::unique_ptr<error> failed;
		} looking{ this, nullptr };
		hs_taker look{};

		look.to = &looking;
		look.take = [](void *of, const hs_block *, std::size_t) {
			return !static_cast<decltype(looking) *>(of)->failed;
		};
		look.error = [](void *of, const hs_error *e) {
			auto &l = *static_cast<decltype(looking) *>(of);

			try {
				l.self->note(e->status, *e);
			} catch (const error &failed) {
				l.failed.reset(new error(failed));
			}
		};
		rewind();
		const hs_status s = hs_source_count(get(), to.get(), &look);

		if (looking.failed)
			throw error(*looking.failed);
		check(s);
	}

	/** Over what next() gives. */
	class iterator {
	public:
		using iterator_category = std::input_iterator_tag;
		using value_type = items;
		using difference_type = std::ptrdiff_t;
		using pointer = const items *;
		using reference = const items &;

		iterator() = default;
		explicit iterator(source *of) : of_(of)
		{
			++*this;
		}

		reference operator*() const noexcept
		{
			return items_;
		}

		pointer operator->() const noexcept
		{
			return &items_;
		}

		iterator &operator++()
		{
			if (!of_->next(items_))
				of_ = nullptr;
			return *this;
		}

		void operator++(int)
		{
			++*this;
		}

		friend bool operator==(const iterator &a, const iterator &b) noexcept
		{
			return a.of_ == b.of_;
		}

		friend bool operator!=(const iterator &a, const iterator &b) noexcept
		{
			return a.of_ != b.of_;
		}

	private:
		source *of_ = nullptr;
		items items_;
	};

	/** All items from the start. */
	iterator begin()
	{
		rewind();
		return iterator(this);
	}

	iterator end() noexcept
	{
		return iterator();
	}

private:
	void note(hs_status s, const hs_error &e)
	{
		const hs_status_class c = hs_status_get_class(s);
		const error what(s, e.status == s ? e.text : hs_status_text(s));

		if (c != HS_CLASS_DATA && c != HS_CLASS_UNSUPPORTED)
			throw what;
		if (damage_.size() < 1000)
			damage_.push_back(what);
	}

	std::vector<error> damage_;
};

inline counts::counts(source &run, std::uint32_t what, hs_profile_by by)
{
	hs_counts_options o{};
	hs_counts *made = nullptr;

	o.size = sizeof(o);
	o.what = what;
	o.by = static_cast<std::uint8_t>(by);
	o.source = run.get();
	check(hs_counts_new(&o, &made));
	take(made);
}

/** What hs_check() found of two runs (compare.h). */
struct comparison {
	hs_check_result result{};
	std::vector<error> damage; /**< what of them could not be read */
};

/**
 * Are two runs the same, hart by hart and block by block?  Both are read from their starts.
 * @param gaps  What gaps of a trace stand for may be missing (hs_check_options.gaps).
 * @throws error  As hs_check() and hs_source_rewind() fail.
 */
inline comparison compare(source &a, source &b, bool gaps = false)
{
	hs_check_options o{};
	comparison made;
	hs_error e{};

	a.rewind();
	b.rewind();
	o.size = sizeof(o);
	o.gaps = gaps;
	o.to = &made.damage;
	o.error = [](void *to, const hs_source *, const hs_error *damage) noexcept {
		static_cast<std::vector<error> *>(to)->emplace_back(damage->status, damage->text);
	};
	check(hs_check(a.get(), b.get(), &o, &made.result, &e), &e);
	return made;
}

} // namespace hartscope

#endif
