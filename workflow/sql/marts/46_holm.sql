-- p corrected for the many comparisons of a family: Holm's (1979, "A simple sequentially rejective multiple test procedure").
-- Of m tests sorted by p, the i-th p times m - i + 1, never below the one before it and never above 1.
create macro holm_step(p, family) as least(1, p * (
    count(p) over (partition by family)
    -- those without a p are last, so that they do not affect the others
    - row_number() over (partition by family order by p nulls last)
    + 1
));

create macro holm(step, p, family) as case when p is not null then max(step) over (partition by family order by p) end;

comment on macro holm_step is 'The first step of Holm''s correction: p times the number of tests of its family that it is not larger than';

comment on macro holm is 'The second step of Holm''s correction: never below the step of a smaller p; null without p';
