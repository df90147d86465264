//! Processes of Linux, where none serves images: for tests and stand-ins.

use std::fs;
use std::path::Path;

use system::facts;

use super::{Identity, PROGRAMS, Seen, Used};

/// The kernel keeps this many bytes of a program's name (`TASK_COMM_LEN` less the end).
const KEPT_OF_NAME: usize = 15;

/// Every process of these names, now.
pub(super) fn look() -> Vec<Seen> {
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| seen(&entry.path()))
        .collect()
}

fn seen(folder: &Path) -> Option<Seen> {
    let number = folder.file_name()?.to_str()?.parse().ok()?;
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    let (name, started, ticks) = read_stat(&stat)?;
    let cpu_ns = ticks.saturating_mul(1_000_000_000) / facts::clock_ticks_per_second().max(1);
    let used = fs::read_to_string(folder.join("io")).ok().and_then(|text| {
        let value = |key: &str| {
            text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse::<u64>().ok())
        };
        let (read_bytes, written_bytes) = (value("read_bytes:")?, value("write_bytes:")?);
        Some(Used { cpu_ns, read_bytes, written_bytes, energy_nj: None })
    });
    Some(Seen { name, process: Identity { number, started }, used })
}

/// Name, start and ticks on processors (user and system) of a process, if it has one of the names; see proc(5).
fn read_stat(stat: &str) -> Option<(&'static str, u64, u64)> {
    // The name is in parentheses, and may hold some itself.
    let (start, end) = (stat.find('(')?, stat.rfind(')')?);
    let short = stat.get(start + 1..end)?;
    let name = PROGRAMS
        .into_iter()
        .find(|name| name.get(..KEPT_OF_NAME.min(name.len())) == Some(short))?;
    let fields: Vec<&str> = stat.get(end + 1..)?.split_whitespace().collect();
    // Counted from the third of the manual: 14 utime, 15 stime, 22 starttime.
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    Some((name, field(22)?, field(14)?.checked_add(field(15)?)?))
}

#[cfg(test)]
mod tests {
    use super::read_stat;

    /// A line of proc(5)'s form, of a shell with another name.
    const LINE: &str = "4711 (diskimages-help) S 1 4711 4711 0 -1 4194560 893 0 0 0 250 50 0 0 20 0 1 0 987654 \
                        2580480 401 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0";

    #[test]
    fn a_process_is_known_by_what_the_kernel_keeps_of_its_name() {
        let helper = LINE.replace("diskimages-help", "diskimages-helpe");
        assert_eq!(read_stat(&helper), None, "one byte more than is kept");
        assert_eq!(read_stat(LINE), Some(("diskimages-helper", 987_654, 300)));
        assert_eq!(read_stat(&LINE.replace("diskimages-help", "mds")), Some(("mds", 987_654, 300)));
        for other in ["sh", "mds) (x", "mdworker", ""] {
            assert_eq!(read_stat(&LINE.replace("diskimages-help", other)), None, "{other}");
        }
    }

    #[test]
    fn a_line_that_is_cut_short_is_no_process() {
        for end in 0..60 {
            assert_eq!(read_stat(&LINE[..end]), None);
        }
    }
}
