-- A capacity in words: makers count decimal bytes, and the reported size of a disk differs by parts of a percent.
create macro terabytes(size_bytes) as format('{:.1f} TB', size_bytes / 1e12);

comment on macro terabytes is 'The capacity of a disk in terabytes, to the tenth, such as 2.0 TB';
