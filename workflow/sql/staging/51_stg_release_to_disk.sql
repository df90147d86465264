-- The changes of images beyond that of the disk itself, run by run: what differs between two nights for the whole machine is in
-- both, and cancels.
create temp table stg_release_to_disk as

select
    family,
    item,
    repeat,
    to_disk as value
from stg_release_pair
where to_disk is not null;
