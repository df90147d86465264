-- On which side a whole interval of ratios lies beyond the smallest change that counts (verdict_rule); null on neither.
create macro beyond(subject, low, high) as case
    when low > 1 + tolerance_of(subject, 'least change') then 'faster'
    when high < 1 / (1 + tolerance_of(subject, 'least change')) then 'slower'
end;

comment on macro beyond is 'faster or slower when a whole interval of ratios lies beyond the smallest change that counts (verdict_rule); else null';
