-- The sort key of releases: the numbers of the version. "26.3.1 (a)" and macos-26.3.1-25D771280a count as 26.3.1; 26.10
-- comes after 26.9. Null where a source does not state the release.
create macro release_order(release) as try_cast(string_split(nullif(regexp_extract(release, '\d+(\.\d+)*'), ''), '.') as integer[]);

comment on macro release_order is 'What puts releases in order: the numbers of a version or of the slug of a release; null where there is none';
