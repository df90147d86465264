// The search in the bar: every word that is typed must begin a word of a section, but for the small words of a question.
// Its index is one script, loaded when somebody searches (publish/search.py).
(() => {
  const MOST = 10;
  const SMALL = new Set(
    "a an and are can do does for how i in is it mean means my no not of on or the to what which why with".split(" "),
  );
  const form = document.querySelector(".search");
  const field = form.querySelector("input");
  const told = form.querySelector("[role=status]");
  const list = form.querySelector("ul");
  const root = form.dataset.root;

  const plain = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");

  let loading = null;
  const load = () =>
    (loading ??= new Promise((done, failed) => {
      window.diskbenchSearch = (sections) =>
        done(sections.map((section) => ({ section, plain: section.map(plain) })));
      const script = document.createElement("script");
      script.src = `${root}assets/search-index.js`;
      script.onerror = () => failed(new Error("The index of the search could not be loaded."));
      document.head.append(script);
    }));

  // 0 where a word is missing; a title counts most, then a heading
  const points = ([, title, heading, text], words) => {
    const each = words.map((word) => 8 * word.test(title) + 6 * word.test(heading) + word.test(text));
    return each.includes(0) ? 0 : each.reduce((sum, one) => sum + one);
  };

  const excerpt = (text, words) => {
    const at = Math.max(0, plain(text).search(words[0]) - 40);
    const from = at && text.indexOf(" ", at) + 1;
    return `${from ? "… " : ""}${text.slice(from, from + 130)}`;
  };

  const item = ([address, title, heading, text], words) => {
    const link = document.createElement("a");
    link.href = root + address;
    const name = document.createElement("b");
    name.textContent = [title, heading].filter(Boolean).join(": ");
    const shown = document.createElement("small");
    shown.textContent = excerpt(text, words);
    link.append(name, " ", shown);
    const made = document.createElement("li");
    made.append(link);
    return made;
  };

  const close = () => {
    list.replaceChildren();
    list.hidden = true;
    told.textContent = "";
  };

  const search = async () => {
    const typed = field.value;
    const every = plain(typed).match(/[\p{L}\p{N}][\p{L}\p{N}._-]*/gu) ?? [];
    const telling = every.filter((word) => !SMALL.has(word));
    const words = (telling.length ? telling : every).map(
      (word) => new RegExp(`(?<![\\p{L}\\p{N}])${word.replaceAll(".", "\\.")}`, "u"),
    );
    if (!words.length) return close();
    try {
      const sections = await load();
      if (typed !== field.value) return; // more was typed meanwhile
      const found = sections
        .map((one) => ({ ...one, points: points(one.plain, words) }))
        .filter((one) => one.points)
        .sort((one, other) => other.points - one.points);
      list.replaceChildren(...found.slice(0, MOST).map((one) => item(one.section, words)));
      list.hidden = !found.length;
      const shown = found.length > MOST ? `, ${MOST} shown` : "";
      told.textContent = `${found.length || "No"} section${found.length === 1 ? "" : "s"}${shown}`;
    } catch (error) {
      told.textContent = error.message;
    }
  };

  field.addEventListener("input", search);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    close();
    field.focus();
  });
  const leave = (event) => { if (!form.contains(event.target)) close(); };
  document.addEventListener("pointerdown", leave);
  document.addEventListener("focusin", leave);
  list.addEventListener("click", close); // a section of this very page
  form.hidden = false;
})();
