-- The articles' disks: capacity and encryption, one row per Mac and storage. The encryption is that of the disk itself where it was
-- measured; else "unstated" for a disk outside the Mac, which may have had none. Null for an internal one: these Macs encrypt it in
-- hardware, and FileVault adds only a password.
create macro article_disks() as table (
    select
        host,
        storage,
        any_value(disk) as disk,
        coalesce(
            any_value(encryption) filter (where format = 'native' and encryption <> 'unstated' and not second_hand),
            case when storage <> 'internal' then 'unstated' end
        ) as disk_encryption
    from published_speed
    left join (
        select host, storage, terabytes(max(value_bytes)) as disk
        from published_size
        where quantity = 'capacity'
        group by host, storage
    ) using (host, storage)
    group by host, storage
);

comment on macro table article_disks is 'The capacity and encryption of the disk of each Mac and storage of the articles; the encryption is "unstated" or, of an internal disk, null where no article states it';
