-- The sort key of releases: the numbers of the version. "26.3.1 (a)" and macos-26.3.1-25D771280a count as 26.3.1; 26.10
-- comes after 26.9. A beta is half a number below its release, after all earlier ones; betas of one release are in the order of
-- their builds. Null where a source does not state the release.
create macro version_numbers(release) as
    try_cast(string_split(nullif(regexp_extract(release, '\d+(\.\d+)*'), ''), '.') as double[]);

create macro release_order(release) as
    case
        when contains(release, ' beta') or is_beta(release)
        then list_concat(
            version_numbers(release)[:-2],
            [version_numbers(release)[-1] - 0.5, coalesce(try_cast(regexp_extract(release, '(\d+)[a-z]\)?$', 1) as double), 0)]
        )
        else version_numbers(release)
    end;

comment on macro version_numbers is 'The numbers of a version or of the slug of a release; null where there is none';
comment on macro release_order is 'What puts releases in order: the numbers of a version or of the slug of a release, for a beta half a number less, and that of its build; null where there is none';
