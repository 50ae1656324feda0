// Constructors, destructors and what derives from them.
static int alive, made;

struct Base {
	explicit Base(int n) : size(n)
	{
		alive++;
		made += n;
	}
	virtual ~Base()
	{
		alive--;
	}
	virtual int area() const
	{
		return size;
	}
	int size;
};

struct Square : Base {
	explicit Square(int n) : Base(n), side(n)
	{
		if (n > 2)
			made++;
	}
	int area() const override
	{
		return side * side;
	}
	int side;
};

__attribute__((noinline)) static int measure(const Base &b)
{
	return b.area();
}

extern "C" int constructors(void)
{
	int s = 0;

	for (int i = 0; i < 4; i++) {
		Square q(i);
		Base *p = new Base(i);

		s += measure(q) + measure(*p);
		delete p;
	}
	return s + alive + made;
}
