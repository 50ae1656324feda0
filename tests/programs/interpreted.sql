-- SQLite at work: inserts, an index, a join, an aggregate. @ROUNDS@ hundreds of rows.
create table items(id integer primary key, name text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 100 * @ROUNDS@)
	insert into items select i, hex(i * 7919 % 1009) from n;
create index names on items(name);
select count(*), min(name), max(id) from items where name like '3%';
select sum(length(a.name)) from items a join items b on a.name = b.name where a.id < b.id;
begin;
delete from items where id % 3 = 0;
rollback;
select name, count(*) as many from items group by name order by many desc, name limit 3;
