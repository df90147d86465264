-- Whether two runs of one machine started in one night (rule same night): from night to night, the whole machine differs.
create macro same_night(one, other) as abs(epoch(one - other)) <= 3600 * tolerance_of('every comparison', 'same night');

comment on macro same_night is 'Whether two runs started at most as many hours apart as the rule “same night” (table verdict_rule) allows';
