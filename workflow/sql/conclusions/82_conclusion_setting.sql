-- One row per Mac, macOS and method.
create table conclusion_setting as

with macs as (
    select distinct article, host as mac, macos
    from published_speed
    where not second_hand and host <> 'unstated' and macos <> 'unstated' and tool = 'Stibium'
),

methods as (
    select distinct article, format = 'VM' as guest, protocol, scale
    from published_speed
    where not second_hand and protocol <> 'unstated' and scale <> 'tenth'
)

from macs
inner join methods using (article)
order by all;

comment on table conclusion_setting is 'What a measurement must have in common with an article to decide the article''s conclusions';
comment on column conclusion_setting.mac is 'Slug of a Mac that the article measured; it decides conclusions on images of which the article has most figures on this Mac';
comment on column conclusion_setting.macos is 'Its macOS, as the article writes it';
comment on column conclusion_setting.guest is 'True for what is measured inside a virtual machine';
comment on column conclusion_setting.protocol is 'Protocol that must have been run';
comment on column conclusion_setting.scale is 'The scale that must have been measured; "unstated": any but smoke and tenth';
