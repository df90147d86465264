-- The Macs of the articles and their chips, so that a guest can be identified by the chip beneath it. A guest knows neither the
-- kind of Mac that it runs on nor its name: it calls itself `VirtualMac2,1` with an `Apple M4 Pro (Virtual)`, and its slug
-- is made of these. Two kinds of Mac with one chip look alike from within a guest, and count as one kind here.
create table published_host as

select * rename (code as host)
from raw_host
order by host;

comment on table published_host is 'The Macs of the articles and their chips, one row each: the chip that a virtual machine sees shows on which of these Macs it runs';
comment on column published_host.name is 'Its name, as the article writes it';
comment on column published_host.chip is 'Its chip, as macOS on it reports it (machdep.cpu.brand_string; a guest adds "(Virtual)"); null where the article does not say enough';
comment on column published_host.source is 'Slug of an article that names the Mac and its chip';
