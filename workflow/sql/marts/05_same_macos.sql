-- Whether a build is a beta. For a beta, sw_vers reports the version of its release, but its build has a number from 5000 on and
-- ends with a letter ("25E5207k"). An update between releases, "26.3.1 (a)", keeps the version as well, and its build ends with
-- its letter, after a number of six digits ("25D771280a").
create macro is_beta(build) as regexp_matches(coalesce(build, ''), '[A-Z]([5-9]\d{3}|\d{5}|\d{7,})[a-z]$');

-- The sort key of the builds of one version: betas, the release, its updates.
create macro build_order(build) as (not is_beta(build), len(build), build);

-- The release of macOS of a version and a build, to the patch level; null for a beta.
create macro macos_release(version, build) as
    case
        when is_beta(build) then null
        when contains(version, '(') then replace(version, ' ', '')
        else concat(version, regexp_replace(regexp_extract(coalesce(build, ''), '\d([a-z])$', 1), '(.+)', '(\1)'))
    end;

-- Its name: that of the release, or of the release that a beta precedes with "beta".
create macro macos_name(version, build) as
    case
        when version is not null then coalesce(replace(macos_release(version, build), '(', ' ('), concat(version, ' beta'))
    end;

-- Whether a measured system is a published release of macOS. A source that names only a major release means all of its releases.
create macro same_macos(published, system, version, build) as
    coalesce(
        lower(system) = 'macos' and (
            replace(published, ' ', '') = macos_release(version, build)
            or (not contains(published, '.') and starts_with(macos_release(version, build), concat(published, '.')))
        ),
        false
    );

comment on macro is_beta is 'Whether a build of macOS is a beta, such as 25E5207k';
comment on macro build_order is 'What puts builds of one version of macOS in order: betas, the release, its updates';
comment on macro macos_name is 'The name of a version and build of macOS, such as 26.4, 26.3.1 (a) or 26.4 beta';
comment on macro macos_release is 'The release of macOS behind a version and a build, to the patch level, such as 26.4 or 26.3.1(a); null for a beta';
comment on macro same_macos is 'Whether a measured system (name, version, build) is a published release of macOS, to the patch level that the source states';
