-- ::: {.callout-note title="…"} as Quarto shows it: a box with a title line.
function Div(div)
  for _, class in ipairs(div.classes) do
    local kind = class:match("^callout%-(%a+)$")
    if kind then
      local title = div.attributes.title or kind:gsub("^%l", string.upper)
      local head = pandoc.Div(pandoc.Plain(pandoc.Str(title)), { class = "callout-title" })
      local body = pandoc.Div(div.content, { class = "callout-body" })
      return pandoc.Div({ head, body }, { class = "callout " .. class, role = "note" })
    end
  end
end
