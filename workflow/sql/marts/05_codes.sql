create macro codes(list) as nullif(list_sort(list_distinct(list)), cast([] as varchar[]));

comment on macro codes is 'The codes of a list (table reason), each once; null where there is none';
