//! What is typed behind `diskbench image`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use diskimage::crypt::KeySize;
use diskimage::disk::SECTOR;
use diskimage::format::ImageFormat;

use crate::cli::ProgressArguments;
use crate::units;

/// What can be done with an image.
#[derive(Debug, Subcommand)]
pub(crate) enum ImageCommand {
    /// Create an empty image; nothing is ever overwritten
    Create(CreateArguments),
    /// Show format, size and encryption; without the passphrase, only the unencrypted header
    Info {
        /// Print JSON instead of text
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        image: ImageArguments,
    },
    /// Look for damage: one line for each fault on stdout, and exit code 6 if there is any
    Check {
        #[command(flatten)]
        image: ImageArguments,
        #[command(flatten)]
        progress: ProgressArguments,
    },
    /// Copy the disk of an image into a new image; Ctrl-C removes the unfinished copy
    Convert(ConvertArguments),
    /// Compare the disks in two images of any format: exit code 6 if they differ, and the first difference
    ///
    /// One passphrase is for either of them that is encrypted. Where theirs differ, compare their checksums.
    Compare {
        /// An image
        path: PathBuf,
        /// Another one
        other: PathBuf,
        /// How to open encrypted images
        #[command(flatten)]
        passphrase: PassphraseArguments,
        #[command(flatten)]
        progress: ProgressArguments,
    },
    /// Print the SHA-256 of the disk in an image, the same as sha256sum prints for a raw copy
    Checksum {
        #[command(flatten)]
        partition: PartitionArguments,
        #[command(flatten)]
        image: ImageArguments,
        #[command(flatten)]
        progress: ProgressArguments,
    },
    /// Serve an image to qemu-img, nbdcopy, nbdfuse and others, over NBD, until Ctrl-C
    Serve {
        #[command(flatten)]
        partition: PartitionArguments,
        /// The Unix socket to create
        #[arg(long, value_name = "PATH")]
        socket: PathBuf,
        /// Let clients change the image; without this it is only read
        #[arg(long)]
        writable: bool,
        #[command(flatten)]
        image: ImageArguments,
    },
    /// Change the passphrase of an encrypted image; its content is not rewritten
    ChangePassphrase {
        #[command(flatten)]
        image: ImageArguments,
        #[command(flatten)]
        new_passphrase: NewPassphraseArguments,
    },
    /// Show which ranges of the disk an image contains, a line each; the others are zeros
    Map {
        #[command(flatten)]
        partition: PartitionArguments,
        /// Print JSON, as qemu-img map --output=json does
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        image: ImageArguments,
    },
    /// Make the disk in an image longer, or shorter where only zeros are cut off; partitions are not changed
    Resize {
        /// New length of the disk, as image create takes it
        #[arg(long, value_name = "BYTES", value_parser = disk_length)]
        size: u64,
        #[command(flatten)]
        image: ImageArguments,
    },
    /// Free the space that an image no longer needs
    Compact {
        #[command(flatten)]
        image: ImageArguments,
        #[command(flatten)]
        progress: ProgressArguments,
    },
}

/// An image that is there.
#[derive(Debug, Args)]
pub(crate) struct ImageArguments {
    /// The image
    pub path: PathBuf,
    #[command(flatten)]
    pub passphrase: PassphraseArguments,
}

/// The chosen part of a disk.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct PartitionArguments {
    /// Only this partition of the disk: image info lists them
    #[arg(long, value_name = "N", value_parser = partition_number)]
    pub partition: Option<u32>,
}

/// What `image create` takes.
#[derive(Debug, Args)]
pub(crate) struct CreateArguments {
    /// The new image; its name is used as it is
    pub path: PathBuf,
    /// Format of the image
    #[arg(long, value_name = "FORMAT", ignore_case = true, value_parser = format_parser())]
    pub format: ImageFormat,
    /// Length of the disk: a multiple of 512 bytes (or of --block), or a number with a unit, rounded up to 512: 1.5GB
    /// (decimal), 1.5GiB or 100g (binary, as hdiutil takes it)
    #[arg(long, value_name = "BYTES", value_parser = disk_length)]
    pub size: u64,
    /// What the new image is like
    #[command(flatten)]
    pub layout: LayoutArguments,
    /// What opens the image
    #[command(flatten)]
    pub passphrase: PassphraseArguments,
}

/// What `image convert` takes.
#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    /// The image to copy; it is only read
    pub source: PathBuf,
    /// The new image; its name is used as it is. With --to UDRW, - is standard output
    pub destination: PathBuf,
    /// Format of the new image; UDRW is raw, the bytes of the disk and nothing else
    #[arg(long, value_name = "FORMAT", ignore_case = true, value_parser = format_parser())]
    pub to: ImageFormat,
    /// What the new image is like
    #[command(flatten)]
    pub layout: LayoutArguments,
    /// What opens the image
    #[command(flatten)]
    pub passphrase: PassphraseArguments,
    /// What will open the new image
    #[command(flatten)]
    pub new_passphrase: NewPassphraseArguments,
    /// Read the new image again before it gets its name, and compare it with the source
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    pub partition: PartitionArguments,
    /// Copy what can be read of a damaged image: the rest becomes zeros, is listed on stdout, and exit code 6
    #[arg(long)]
    pub salvage: bool,
    #[command(flatten)]
    pub progress: ProgressArguments,
}

/// Properties of a new image besides its format.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct LayoutArguments {
    /// Size of a band, for UDSP and UDSB, such as 8MiB; the format's own default if not given
    #[arg(long, value_name = "BYTES", value_parser = units::parse_bytes)]
    pub band: Option<u64>,
    /// Size of a block of an ASIF: 512 or 4096. If not given, 512, but the copy of an ASIF keeps its size
    #[arg(long, value_name = "BYTES", value_parser = units::parse_bytes)]
    pub block: Option<u64>,
    /// Encrypt the new image; not encrypted if not given
    #[arg(long, value_name = "CIPHER", ignore_case = true, value_parser = cipher_parser())]
    pub encryption: Option<KeySize>,
}

/// Where the passphrase of an image comes from.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct PassphraseArguments {
    /// Read the passphrase from standard input: one line; on a terminal you are asked for it
    #[arg(long, conflicts_with = "passphrase_fd")]
    pub passphrase_stdin: bool,
    /// Read the passphrase from this file descriptor: one line
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..))]
    pub passphrase_fd: Option<i32>,
    /// Passphrases end at a NUL byte or the end of the input, not at a line feed, as with `hdiutil -stdinpass`
    #[arg(long)]
    pub passphrase_nul: bool,
}

/// Where the passphrase of the new image comes from.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct NewPassphraseArguments {
    /// Read the new passphrase from standard input: the line after the old one, if that is read from there too
    #[arg(long, conflicts_with = "new_passphrase_fd")]
    pub new_passphrase_stdin: bool,
    /// Read the new passphrase from this file descriptor: one line
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..))]
    pub new_passphrase_fd: Option<i32>,
}

/// A length with a unit is approximate, since 500 MB is not a multiple of the sector size. One without is exact.
fn disk_length(text: &str) -> Result<u64, String> {
    let bytes = units::parse_bytes(text)?;
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(bytes);
    }
    bytes.checked_next_multiple_of(SECTOR).ok_or_else(|| "give a shorter length".to_owned())
}

fn partition_number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "give a partition's number: image info lists them".to_owned())
}

/// The formats that there are readers and writers of, by their names.
fn format_parser() -> impl TypedValueParser<Value = ImageFormat> {
    let formats = ImageFormat::ALL.map(|format| {
        let row = format.row();
        PossibleValue::new(format.name()).help(row.summary).aliases(row.alias)
    });
    PossibleValuesParser::new(formats).try_map(|name| {
        // clap has already refused unknown names, ignoring case as this does.
        let is_named = |format: &ImageFormat| {
            [Some(format.name()), format.row().alias]
                .into_iter()
                .flatten()
                .any(|known| name.eq_ignore_ascii_case(known))
        };
        ImageFormat::ALL.into_iter().find(is_named).ok_or("no format has this name")
    })
}

/// The ciphers of an encrypted image, by their names.
fn cipher_parser() -> impl TypedValueParser<Value = KeySize> {
    let ciphers = [
        PossibleValue::new("AES-128").help("A key of 128 bits"),
        PossibleValue::new("AES-256").help("A key of 256 bits"),
    ];
    PossibleValuesParser::new(ciphers).map(|name| match name.ends_with("128") {
        true => KeySize::Aes128,
        false => KeySize::Aes256,
    })
}

#[cfg(test)]
mod tests {
    use super::{ImageCommand, ImageFormat};
    use crate::cli::{Command, Parsed, parse};
    use crate::exit_code::ExitCode;
    use std::ffi::OsString;

    fn image(line: &str) -> crate::error::Result<ImageCommand> {
        let words = format!("diskbench image {line}");
        match parse(words.split(' ').map(OsString::from))? {
            Parsed::Command(Command::Image(command)) => Ok(command),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn sizes_take_units_and_names_take_any_case() {
        let line = "create --format udsb --size 500MB --band 8MiB --encryption aes-256 \
                    --passphrase-fd 3 x.sparsebundle";
        let ImageCommand::Create(create) = image(line).unwrap() else { panic!("no create") };
        assert_eq!(create.format, ImageFormat::Udsb);
        // 976,562.5 sectors are made 976,563.
        assert_eq!((create.size, create.layout.band), (500_000_256, Some(8_388_608)));
        assert_eq!(create.passphrase.passphrase_fd, Some(3));
        let ImageCommand::Create(create) = image("create --format udrw --size 1.5g x").unwrap()
        else {
            panic!("no create")
        };
        assert_eq!(create.size, 1_610_612_736);
        let ImageCommand::Convert(convert) = image("convert a b --to raw").unwrap() else {
            panic!("no convert")
        };
        assert_eq!(convert.to, ImageFormat::Udrw);
    }

    #[test]
    fn a_wrong_command_line_is_one_line_that_leads_to_the_help() {
        for (line, expected) in [
            ("", "unrecognized subcommand"),
            ("frobnicate", "unrecognized subcommand 'frobnicate'"),
            ("create --format UDZO --size 1MB x", "invalid value 'UDZO' for '--format <FORMAT>'"),
            ("create --format UDRW --size 1.5 x", "give a whole number of bytes"),
            ("create --format UDRW --size 100b x", "k, m, g, t, p (binary)"),
            ("create --format UDRW --size 18446744073709551615B x", "give a shorter length"),
            ("create --format UDRW x", "--size <BYTES>"),
            ("resize x", "--size <BYTES>"),
            ("convert a --to UDRW", "<DESTINATION>"),
            ("convert a b", "--to <FORMAT>"),
            ("map x --partition Macintosh", "give a partition's number: image info lists them"),
            ("info x --passphrase-fd -1", "'-1'"),
            ("info x --passphrase-stdin --passphrase-fd 3", "cannot be used with"),
            ("info x --passphrase secret", "unexpected argument '--passphrase' found"),
        ] {
            let error = image(line).expect_err(line);
            assert_eq!(error.exit(), ExitCode::BadInput);
            assert!(error.line().contains(expected), "{line}: {error}");
            assert!(error.line().ends_with("--help`"), "{line}: {error}");
        }
    }
}
