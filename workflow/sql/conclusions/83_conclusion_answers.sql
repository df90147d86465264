-- Macros that test every conclusion; they stay in the database, so that anyone can repeat the query.

-- The verdict on an interval: inside the supporting range, outside of it, or neither. A missing end is infinite.
create macro judged(low, high, supported_from, supported_to) as
    case
        when (supported_from = -'infinity'::double or low > supported_from) and (supported_to = 'infinity'::double or high < supported_to) then 'supported'
        when high <= supported_from or low >= supported_to then 'contradicted'
        else 'undecided'
    end;

-- A cell of conclusion.cells in words: UDRW|UDSP AES-256 @imac-pro is UDRW or UDSP AES-256 on imac-pro.
create macro cell_words(cell) as regexp_replace(
    regexp_replace(regexp_replace(replace(cell, '|', ' or '), ' @(\d)', ' under macOS \1'), ' @', ' on '),
    '(smaller|larger)-bands', 'with \1 bands'
);

-- How the two cells of a pair are combined, and the sign for it; a form of one cell has neither.
create macro combined(form, one, other) as case form when 'ratio' then one / other when 'difference' then one - other else one end;

create macro sign_of(form) as case form when 'ratio' then ' / ' when 'difference' then ' - ' end;

create macro conclusion_answers() as table (
    with

    sides as (
        select
            conclusion.comparison,
            conclusion.study,
            coalesce(conclusion.stated, 1) as stated,
            -- as in article_table: "about 1" is anything from half to one and a half times as much
            least(rule.supported_from, 1 - case rule.rule when 'about' then rounded_by(format('{:g}', conclusion.stated)) end) as supported_from,
            greatest(rule.supported_to, 1 + case rule.rule when 'about' then rounded_by(format('{:g}', conclusion.stated)) end) as supported_to,
            conclusion.ours,
            list_contains(rule.set_by, concat(article, ' ', number)) as set_by_it,
            pair.*
        from conclusion
        inner join conclusion_pair as pair using (article, number)
        inner join verdict_rule as rule
            on rule.comparison = 'conclusion'
            and rule.rule = conclusion.rule
    ),

    -- of an article's Macs those with figures of most of the needed images: the article concludes from these
    sources as (
        select side.article, side.number, figure.host as mac
        from sides as side
        inner join (
            select article, host, format, encryption from published_speed
            where not second_hand and tool = 'Stibium' and host <> 'unstated'
            union
            select article, host, format, encryption from published_size
        ) as figure
            on figure.article = side.study
            and list_contains(string_split(side.formats, '|') || ['unstated'], figure.format)
            and (figure.format = 'native' or figure.encryption in (coalesce(side.encryption, 'none'), 'unstated'))
        where side.mac is null
        group by side.article, side.number, figure.host
        qualify rank() over (partition by side.article, side.number order by count(distinct side.cell) desc) = 1
    ),

    -- the subject of a verdict: a Mac under one macOS; three columns, as joins by a struct take time that is quadratic in Macs
    groups as (
        select
            basis,
            mac,
            macos,
            macos_build,
            -- the Mac itself, or a guest on it if only that has it
            any_value({'host': host, 'release': release} order by host <> mac, release, host) as machine
        from conclusion_figure
        group by basis, mac, macos, macos_build
    ),

    matched as (
        select
            side.*,
            figure.basis,
            one.mac as group_mac,
            one.macos as group_macos,
            one.macos_build as group_build,
            one.machine,
            -- as in release_change
            {'host': figure.host, 'storage': figure.storage, 'protocol': figure.protocol, 'scale': figure.scale, 'format': figure.format, 'encryption': figure.encryption, 'phase': figure.state, 'op': figure.op} as image,
            figure.release,
            figure.format,
            figure.value,
            figure.low,
            figure.high,
            figure.repeats,
            figure.second_hand,
            figure.faster_than_disk,
            figure.statistics_differ,
            figure.vouched_by,
            figure.made_up,
            figure.first_started_utc,
            figure.last_started_utc,
            {
                'epoch': figure.epoch,
                -- some conclusions compare two Macs, or the scales of a guest and its host
                'chip': case when side.mac is null then figure.chip end,
                'machine': case when side.mac is null then figure.machine end,
                'disk': case when side.mac is null then figure.disk end,
                'disk_model': case when side.mac is null then figure.disk_model end,
                'disk_bus': case when side.mac is null then figure.disk_bus end,
                'file_system': figure.file_system,
                'disk_encryption': case when side.mac is null then figure.disk_encryption end,
                'guest': figure.guest,
                'cache': figure.cache,
                'durability': figure.durability,
                'block_bytes': figure.block_bytes,
                'sets': case when figure.format = 'VM' then null else figure.sets end
            } as method
        from sides as side
        inner join conclusion_figure as figure
            on figure.comparison = side.comparison
            and figure.op is not distinct from side.op
            and figure.state = side.state
            and (
                list_contains(string_split(side.formats, '|'), figure.format)
                -- if the article does not say which of two formats, its figure is for either
                or (contains(side.formats, '|') and figure.format = 'unstated')
            )
            and (figure.format in ('native', 'unstated') or figure.encryption = coalesce(side.encryption, 'none'))
            -- 8 MiB is the format's own size of bands
            and case side.bands when 'smaller' then figure.band_bytes < 8388608 when 'larger' then figure.band_bytes > 8388608 else figure.band_bytes is null end
        inner join groups as one
            on one.basis = figure.basis
            and one.mac is distinct from side.mac
            and (figure.mac = coalesce(side.mac, one.mac) or (side.macos is not null and figure.mac = 'unstated'))
            and case
                when side.macos is not null then same_macos(side.macos, 'macos', figure.macos, figure.macos_build)
                when side.mac is not null then figure.macos = 'unstated' or macos_release(figure.macos, figure.macos_build) = macos_release(one.macos, one.macos_build)
                else figure.macos = one.macos and figure.macos_build is not distinct from one.macos_build
            end
        left join (select distinct article, guest, protocol, scale from conclusion_setting) as method
            on figure.basis = 'measured'
            and method.article = side.study
            and method.guest = (figure.format = 'VM')
            and method.protocol = figure.protocol
            and (method.scale = figure.scale or (method.scale = 'unstated' and figure.scale <> 'tenth'))
        where case figure.basis
            when 'published' then
                (figure.article = side.article or side.macos is not null)
                and (not figure.second_hand or side.macos is not null)
                and (figure.storage = side.storage or (side.macos is not null and figure.storage = 'unstated'))
            else
                figure.storage = side.storage and method.article is not null
        end
        -- one build of each Mac: that of the group, else the newest; and one scale where the article states none: the largest
        qualify figure.basis = 'published' or dense_rank() over (
            partition by side.article, side.number, side.pair_order, side.op, side.storage, side.side, one.mac, one.macos, one.macos_build
            order by
                figure.macos_build is not distinct from one.macos_build desc,
                release_order(figure.macos) desc nulls last,
                build_order(figure.macos_build) desc,
                figure.sets desc
        ) = 1
    ),

    -- each figure beside the first one of its pair
    beside as (
        select
            *,
            first_value({
                'host': image.host, 'release': release, 'state': state, 'method': method,
                'first_started_utc': first_started_utc, 'last_started_utc': last_started_utc
            }) over (
                partition by article, number, pair_order, op, storage, basis, group_mac, group_macos, group_build
                order by side, format
            ) as one
        from matched
    ),

    -- figures of one pair that were measured differently from each other or from the articles' (as in article_table)
    alike as (
        select
            * exclude (one),
            coalesce(
                codes(list_append(
                    unlike(one.method, method),
                    -- two Macs or releases are of two nights; a size is the same in each
                    case
                        when op is not null and one.host = image.host and one.release = release
                            and not (same_night(first_started_utc, one.first_started_utc) and same_night(last_started_utc, one.last_started_utc))
                        then 'other-night'
                    end
                )),
                case basis when 'measured' then unlike_the_articles(method, method.chip, theirs.disk, theirs.disk_encryption) end
            ) as differs
        from beside
        left join (select * exclude (host), host as group_mac from article_disks()) as theirs using (group_mac, storage)
    ),

    -- for two formats the interval that covers both; for other sizes of bands the best
    found as (
        select
            article,
            number,
            pair_order,
            op,
            storage,
            side,
            basis,
            group_mac,
            group_macos,
            group_build,
            any_value(machine) as machine,
            any_value(image) as image,
            any_value(release) as release,
            case when any_value(bands) is null then median(value) else max(value) end as value,
            case when count(low) = count(*) then case when any_value(bands) is null then min(low) else max(low) end end as low,
            case when count(high) = count(*) then max(high) end as high,
            coalesce(min(repeats), tolerance_of('every comparison', 'runs')) as repeats,
            codes(list(vouched_by)) as vouched,
            bool_or(made_up) as made_up,
            codes(flatten(list(differs))) as differs,
            bool_or(second_hand) as recalled,
            coalesce(bool_or(faster_than_disk), false) as in_memory,
            bool_or(statistics_differ is not null) as depends
        from alike
        group by all
        having basis = 'published' or count(distinct format) = len(string_split(any_value(formats), '|'))
    ),

    -- every Mac and macOS with any needed figure, combined with every needed pair;
    -- a reference Mac is not compared with itself
    needed as (
        select side.*, one.*
        from sides as side
        inner join (
            select distinct article, number, basis, group_mac, group_macos, group_build, machine from found
        ) as one using (article, number)
        where not exists (from sides as other where (other.article, other.number, other.mac) = (side.article, side.number, one.group_mac))
    ),

    compared as (
        select
            needed.article,
            needed.number,
            needed.basis,
            needed.group_mac,
            needed.group_macos,
            needed.group_build,
            any_value(needed.machine) as machine,
            needed.pair_order,
            needed.op,
            needed.storage,
            any_value(columns('^(form|comparison|study|stated|ours|set_by_it|supported_from|supported_to)$')),
            any_value(cell) filter (where needed.side = 'left') as left_cell,
            any_value(cell) filter (where needed.side = 'right') as right_cell,
            any_value(found.image) filter (where needed.side = 'left') as left_image,
            any_value(found.image) filter (where needed.side = 'right') as right_image,
            any_value(found.release) filter (where needed.side = 'left') as left_release,
            any_value(found.release) filter (where needed.side = 'right') as right_release,
            any_value(found.value) filter (where needed.side = 'left') as left_value,
            any_value(found.low) filter (where needed.side = 'left') as left_low,
            any_value(found.high) filter (where needed.side = 'left') as left_high,
            any_value(found.value) filter (where needed.side = 'right') as right_value,
            any_value(found.low) filter (where needed.side = 'right') as right_low,
            any_value(found.high) filter (where needed.side = 'right') as right_high,
            min(found.repeats) as repeats,
            codes(flatten(list(found.vouched))) as vouched,
            bool_or(found.made_up) as made_up,
            codes(flatten(list(found.differs))) as differs,
            bool_or(found.recalled) as recalled,
            bool_or(found.in_memory) as in_memory,
            bool_or(found.depends) as depends,
            list(concat(cell_words(needed.cell), ' (', concat_ws(', ', needed.op, needed.storage), ')') order by needed.side) filter (where found.value is null) as missing
        from needed
        left join found
            on found.article = needed.article
            and found.number = needed.number
            and found.pair_order = needed.pair_order
            and found.op is not distinct from needed.op
            and found.storage = needed.storage
            and found.side = needed.side
            and found.basis = needed.basis
            and found.group_mac = needed.group_mac
            and found.group_macos = needed.group_macos
            and found.group_build is not distinct from needed.group_build
        group by all
    ),

    -- the change of an image between two releases beyond the disk itself, either way round
    changes as (
        select
            {'host': host, 'storage': storage, 'protocol': protocol, 'scale': scale, 'format': format, 'encryption': encryption, 'phase': phase, 'op': op} as image,
            unnest([[later_release, earlier_release], [earlier_release, later_release]]) as releases,
            unnest([[ratio_to_disk_low, ratio_to_disk_high], [1 / ratio_to_disk_high, 1 / ratio_to_disk_low]]) as ends
        from release_change
        where driver = 'apple' and band_bytes is null
    ),

    -- the interval of a quotient or difference: its ends are the worst cases
    ratios as (
        select
            *,
            concat(cell_words(left_cell), sign_of(form), cell_words(right_cell)) as pair,
            combined(form, left_value, right_value) / stated as ratio,
            combined(form, left_low, right_high) / stated as low,
            combined(form, left_high, right_low) / stated as high,
            -- a guest has no files without an image
            basis = 'measured' and comparison = 'speed' and left_image.host = right_image.host and left_image.format <> 'VM' and left_release <> right_release as of_two_releases,
            ends[1] / stated as low_to_disk,
            ends[2] / stated as high_to_disk
        from compared
        left join changes
            on changes.image = left_image
            and changes.image = right_image
            and changes.releases = [left_release, right_release]
    ),

    told as (
        select
            *,
            -- such a speed decides nothing, and leaves what other pairs decide
            case
                -- bytes / time and the headline differ
                when depends then 'undecided'
                -- a write that is faster than the disk itself
                when in_memory then 'undecided'
                -- two nights differ, for the whole Mac: as in release_change, it must be so beyond the disk, too
                when of_two_releases and judged(low_to_disk, high_to_disk, supported_from, supported_to) <> judged(low, high, supported_from, supported_to) then 'undecided'
                else judged(low, high, supported_from, supported_to)
            end as verdict,
            concat(
                concat_ws(', ', op, storage, pair), ': ',
                case
                    when comparison = 'size' then format('{:.4g} / {:.4g} GB', left_value / 1e9, right_value / 1e9)
                    else concat(format('{:.4g}', left_value), sign_of(form), format('{:.4g}', right_value))
                end,
                case when form <> 'figure' then format(' = {:.2f}', ratio * stated) end,
                case when stated <> 1 or form = 'difference' then format(', {:.2f} × the stated {}', ratio, stated) end,
                format(' [{}, {}]', coalesce(format('{:.2f}', low), 'open'), coalesce(format('{:.2f}', high), 'open')),
                case when of_two_releases then coalesce(format(', beyond the disk [{:.2f}, {:.2f}]', low_to_disk, high_to_disk), ', not known beyond the disk') end
            ) as words
        from ratios
    ),

    answered as (
        select
            told.article,
            told.number,
            basis,
            group_mac as host,
            any_value(machine) as machine,
            list_sort(list_distinct(flatten(list(missing)))) as missing,
            min(repeats) as repeats,
            codes(flatten(list(vouched))) as vouched,
            bool_or(made_up) as made_up,
            codes(flatten(list(differs))) as differs,
            list(distinct verdict) as verdicts,
            -- a figure, or a quotient that the text also states
            basis = 'published' and bool_and((form = 'figure' or stated <> 1) and abs(ratio - 1) < 1e-9) as is_the_claim,
            basis = 'published' and any_value(ours) as read_out,
            basis = 'published' and any_value(set_by_it) as set_by_it,
            bool_or(recalled) as recalled,
            list(concat(pair, ' (', concat_ws(', ', op, storage), ')') order by pair_order, op, storage) filter (where depends and ratio is not null) as depending,
            list(concat(pair, ' (', concat_ws(', ', op, storage), ')') order by pair_order, op, storage) filter (where in_memory and ratio is not null) as perhaps_in_memory,
            bool_or(basis = 'published' or exists (
                from conclusion_setting as setting
                where setting.article = told.study
                    and setting.mac = told.group_mac
                    and same_macos(setting.macos, 'macos', told.group_macos, told.group_build)
            ) and exists (
                from sources where (sources.article, sources.number, sources.mac) = (told.article, told.number, told.group_mac)
            )) as of_article,
            string_agg(words, '; ' order by pair_order, op, storage) filter (where ratio is not null) as words,
            any_value(concat(
                case when form = 'ratio' and stated = 1 then 'required ratio: ' else 'required: ' end,
                case
                    when isinf(supported_to) then format('above {:.2f}', supported_from)
                    when isinf(supported_from) then format('below {:.2f}', supported_to)
                    else format('{:.2f} to {:.2f}', supported_from, supported_to)
                end,
                case when stated <> 1 or form = 'difference' then format(' × the stated {}', stated) end
            )) as asked
        from told
        group by told.article, told.number, basis, group_mac, group_macos, group_build
    ),

    answers as (
        select
            article,
            number,
            basis,
            host,
            machine.release as release,
            case basis when 'measured' then machine.host end as measured_host,
            case
                when not of_article then 'not comparable'
                when repeats < tolerance_of('every comparison', 'runs') then 'undecided'
                when differs is not null or is_the_claim or read_out or set_by_it or recalled then 'undecided'
                -- missing figures do not outweigh one that contradicts
                when list_contains(verdicts, 'contradicted') then 'contradicted'
                when len(missing) > 0 then 'undecided'
                when verdicts = ['supported'] then 'supported'
                else 'undecided'
            end as outcome,
            concat_ws('; ',
                case when not of_article then 'another Mac or macOS than those of the article''s figures' end,
                case when len(missing) > 0 then concat(case when basis = 'published' then 'not stated: ' else 'not measured: ' end, array_to_string(missing, ', ')) end,
                case when repeats < tolerance_of('every comparison', 'runs') then format('{:.0f} of {:.0f} repeats: no verdict', repeats, tolerance_of('every comparison', 'runs')) end,
                'depends on the statistic: ' || array_to_string(depending, ', '),
                'a write is faster than the SSD itself, so part of it may still have been in memory: ' || array_to_string(perhaps_in_memory, ', '),
                'not measured alike: ' || (select string_agg(reason.words, ', ' order by reason.code) from reason where list_contains(differs, reason.code)),
                case when is_the_claim then 'the text gives no figure but the claim itself' end,
                case when read_out then 'we drew the conclusion from these figures, so they cannot confirm it' end,
                case when set_by_it then 'the tolerance was set from these figures, so they cannot decide the conclusion' end,
                case when recalled then 'the article only recalls one of the figures, and not how it was measured' end,
                words,
                asked
            ) as detail,
            array_to_string(vouched, ' and ') as vouched_by,
            made_up
        from answered
        -- of an article's Macs the one with most of the figures
        qualify basis = 'measured' or row_number() over (partition by article, number, basis order by len(missing), machine.release = 'unstated', host) = 1
    )

    from answers
    union all by name
    select
        article,
        number,
        basis,
        case basis when 'published' then 'undecided' else 'not measured yet' end as outcome,
        case
            when comparison is null then 'no figure decides this'
            when basis = 'published' then 'the text does not state the figures to compare'
            else coalesce(command, 'no command measures it')
        end as detail,
        false as made_up
    from conclusion
    cross join (select unnest(['published', 'measured']) as basis)
    anti join answers using (article, number, basis)
    where basis = 'published' or comparison is not null
);

comment on macro judged is 'supported when the whole interval lies inside, contradicted when all outside, else undecided';
comment on macro cell_words is 'A cell of a conclusion (conclusion.cells) in words: alternatives, another Mac or macOS, other sizes of bands';
comment on macro combined is 'The figures of a pair of cells as one: their ratio, their difference, or the first alone (conclusion_pair.form)';
comment on macro sign_of is 'The sign between the two cells of a pair; null for one cell';
comment on macro table conclusion_answers is 'What the figures say of every conclusion: one row for the article''s own figures and one per measured Mac and release';
