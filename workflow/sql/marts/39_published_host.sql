-- The articles' Macs and their chips, to identify guests by their host's chip. A guest cannot find out the model or name of its
-- host: it reports `VirtualMac2,1` with an `Apple M4 Pro (Virtual)`, which its slug is made of. Two models with one chip cannot
-- be told apart from a guest, and count as one here.
create table published_host as

select * rename (code as host)
from raw_host
order by host;

comment on table published_host is 'The Macs of the articles and their chips, one row each: the chip that a virtual machine sees shows on which of these Macs it runs';
comment on column published_host.name is 'Its name, as the article writes it';
comment on column published_host.chip is 'Its chip, as macOS on it reports it (machdep.cpu.brand_string; a guest adds "(Virtual)"); null where the article does not say enough';
comment on column published_host.source is 'Slug of an article that names the Mac and its chip';
