//! Parses arguments like the programs: options in any position, unknown ones refused.

/// Which options there are.
pub struct Known {
    /// Those that stand alone.
    pub flags: &'static [&'static str],
    /// Those that take the next argument.
    pub valued: &'static [&'static str],
}

/// What was given.
#[derive(Debug, Default)]
pub struct Given {
    options: Vec<(String, String)>,
    /// Everything that is no option.
    pub rest: Vec<String>,
}

impl Given {
    /// Sorts arguments; the names of options are told and kept without their dashes.
    ///
    /// # Errors
    /// The first option that is not known, or that lacks its value, as it was given.
    pub fn sort(arguments: &[String], known: &Known) -> Result<Self, String> {
        let mut given = Self::default();
        let mut left = arguments.iter();
        while let Some(argument) = left.next() {
            let name = argument.trim_start_matches('-');
            if name.len() == argument.len() || name.is_empty() {
                given.rest.push(argument.clone());
            } else if known.flags.contains(&name) {
                given.put(name, "");
            } else if known.valued.contains(&name) {
                let value = left.next().ok_or_else(|| argument.clone())?;
                given.put(name, value);
            } else {
                return Err(argument.clone());
            }
        }
        Ok(given)
    }

    fn put(&mut self, name: &str, value: &str) {
        self.options.push((name.to_owned(), value.to_owned()));
    }

    /// Whether an option was given.
    pub fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// The last value of an option.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.options.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Every value of an option.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.options.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The first argument that is no option.
    pub fn first(&self) -> Option<&str> {
        self.rest.first().map(String::as_str)
    }
}
