//! Images that are served over NBD, as other programs see them: qemu-img and nbdcopy, where they are installed.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "helpers of tests may stop")]

use crate::common::image::{MIB, formats};
use crate::common::random::Random;
use crate::common::{Study, skipped};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A server, which is killed in the end unless it has ended.
struct Server(Child);

impl Server {
    /// Serves an image; returns when clients can connect.
    fn of(study: &Study, image: &Path, socket: &Path, more: &[&str]) -> Self {
        let mut command = study.command(&["image", "serve", "--socket"]);
        command.args([socket, image]).args(more).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("diskbench: serving for reading"), "{line}");
        Self(child)
    }

    /// Ends it as a user does.
    fn end(mut self) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        assert_eq!(self.0.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Whether a program is installed; says so where not.
fn is_here(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        skipped(&format!("{program} is not installed: it reads no served image"));
    }
    found
}

/// Runs a program that must succeed; gives what it prints.
fn run(program: &str, words: &[&str]) -> String {
    let output = Command::new(program).args(words).output().unwrap();
    assert!(output.status.success(), "{program} {words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A disk of 8 MiB: noise, zeros, noise.
fn disk() -> Vec<u8> {
    let mut disk = Random::of(1).bytes(8 * MIB);
    disk[2 * MIB..5 * MIB].fill(0);
    // not the first bytes of anything that is known
    disk[..512].fill(0);
    disk
}

/// How clients name it.
fn address(socket: &Path) -> String {
    format!("nbd+unix:///?socket={}", socket.display())
}

#[test]
fn other_programs_read_every_format_and_see_its_holes() {
    let study = Study::new();
    let copy = study.path("copy.img");
    for format in formats() {
        let (image, socket) = (study.image_of(&disk(), format, &[], ""), study.path("s"));
        let server = Server::of(&study, &image, &socket, &[]);
        let address = address(&socket);
        if is_here("qemu-img") {
            let to = copy.to_str().unwrap();
            run("qemu-img", &["convert", "-f", "raw", "-O", "raw", &address, to]);
            assert!(fs::read(&copy).unwrap() == disk(), "{format}");
            let map = run("qemu-img", &["map", "--output=json", "-f", "raw", &address]);
            // a bundle's band of 8 MiB is the whole disk
            let hole = map.contains("\"start\": 2097152, \"length\": 3145728");
            assert_eq!(hole, format != "UDSB", "{format}: {map}");
            fs::remove_file(&copy).unwrap();
        }
        if is_here("nbdcopy") {
            run("nbdcopy", &[&address, copy.to_str().unwrap()]);
            assert!(fs::read(&copy).unwrap() == disk(), "{format}");
            fs::remove_file(&copy).unwrap();
        }
        server.end();
        assert!(!socket.exists(), "the socket is removed");
    }
}

#[test]
fn other_programs_write_and_what_they_wrote_is_in_the_image() {
    let study = Study::new();
    for format in formats() {
        if !is_here("qemu-io") {
            return;
        }
        let (image, socket) = (study.image_of(&disk(), format, &[], ""), study.path("s"));
        let server = Server::of(&study, &image, &socket, &["--writable"]);
        let steps = ["write -P 7 3M 1M", "write -z 6M 64k", "discard 7M 64k", "flush"];
        let mut words = vec!["-f", "raw"];
        words.extend(steps.iter().flat_map(|step| ["-c", step]));
        let address = address(&socket);
        words.push(&address);
        run("qemu-io", &words);
        // not ended, but killed
        drop(server);
        fs::remove_file(&socket).unwrap();
        let mut expected = disk();
        expected[3 * MIB..4 * MIB].fill(7);
        expected[6 * MIB..6 * MIB + (64 << 10)].fill(0);
        expected[7 * MIB..7 * MIB + (64 << 10)].fill(0);
        let back = study.path("back.img");
        study.convert(&image, &back, "UDRW", &[]).done();
        assert!(fs::read(&back).unwrap() == expected, "{format}");
        fs::remove_file(&back).unwrap();
    }
}

/// The length of the disk in an image, as qemu-img tells it.
fn virtual_size(image: &Path) -> u64 {
    let told = run("qemu-img", &["info", "--output=json", image.to_str().unwrap()]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    told["virtual-size"].as_u64().unwrap()
}

#[test]
fn disks_of_virtual_machines_are_copied_into_an_asif_and_back() {
    if !is_here("qemu-img") {
        return;
    }
    let study = Study::new();
    let socket = study.path("s");
    fs::write(study.path("raw.img"), disk()).unwrap();
    for kind in ["qcow2", "vmdk", "vdi", "vpc", "vhdx"] {
        let [raw, vm, asif, back, copy] =
            ["raw.img", "vm", "vm.asif", "back", "copy.img"].map(|name| study.path(name));
        let [raw_name, vm_name, back_name, copy_name] =
            [&raw, &vm, &back, &copy].map(|path| path.to_str().unwrap());
        run("qemu-img", &["convert", "-f", "raw", "-O", kind, raw_name, vm_name]);
        // A VHD is made a little longer: it counts in cylinders.
        let length = virtual_size(&vm);
        let size = length.to_string();
        study.image("create", &asif, &["--format", "ASIF", "--size", &size]).done();
        let (server, address) =
            (Server::of(&study, &asif, &socket, &["--writable"]), address(&socket));
        run("qemu-img", &["convert", "-n", "-f", kind, "-O", "raw", vm_name, &address]);
        server.end();
        assert_eq!(study.image("check", &asif, &[]).done().stdout, "no damage found\n");
        let server = Server::of(&study, &asif, &socket, &[]);
        run("qemu-img", &["convert", "-f", "raw", "-O", kind, &address, back_name]);
        server.end();
        run("qemu-img", &["convert", "-f", kind, "-O", "raw", back_name, copy_name]);
        let mut expected = disk();
        expected.resize(usize::try_from(virtual_size(&back)).unwrap(), 0);
        assert!(fs::read(&copy).unwrap() == expected, "{kind}");
        for path in [vm, asif, back, copy] {
            fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn two_programs_read_at_once_and_one_that_dies_leaves_the_other_alone() {
    let study = Study::new();
    let (image, socket) = (study.image_of(&disk(), "UDSP", &[], ""), study.path("s"));
    let server = Server::of(&study, &image, &socket, &[]);
    let mut dying = UnixStream::connect(&socket).unwrap();
    let mut greeting = [0; 18];
    dying.read_exact(&mut greeting).unwrap();
    dying.write_all(&[0, 0, 0, 3, 1, 2]).unwrap();
    let mut other = UnixStream::connect(&socket).unwrap();
    other.read_exact(&mut greeting).unwrap();
    assert_eq!(&greeting[..16], b"NBDMAGICIHAVEOPT");
    drop(dying);
    if is_here("nbdcopy") {
        let copy = study.path("copy.img");
        run("nbdcopy", &[&address(&socket), copy.to_str().unwrap()]);
        assert!(fs::read(&copy).unwrap() == disk());
    }
    // the other is still there, in its handshake
    server.end();
}

#[test]
fn a_partition_is_served_alone() {
    let study = Study::new();
    // A boot record of one partition of type 83, from sector 2048 on, 6144 sectors.
    let mut whole = disk();
    whole[446..462].copy_from_slice(&[0, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 24, 0, 0]);
    whole[510..512].copy_from_slice(&[0x55, 0xaa]);
    let (image, socket, copy) = (study.path("raw.img"), study.path("s"), study.path("copy.img"));
    fs::write(&image, &whole).unwrap();
    let server = Server::of(&study, &image, &socket, &["--partition", "1"]);
    if is_here("nbdcopy") {
        run("nbdcopy", &[&address(&socket), copy.to_str().unwrap()]);
        assert!(fs::read(&copy).unwrap() == whole[MIB..4 * MIB]);
    }
    server.end();
}

#[test]
fn clients_for_whom_there_are_no_files_are_not_told_of_all_the_time_and_the_server_goes_on() {
    if !is_here("prlimit") {
        return;
    }
    let study = Study::new();
    let (image, socket) = (study.image_of(&disk(), "UDSP", &[], ""), study.path("s"));
    let mut server = Server::of(&study, &image, &socket, &[]);
    run("prlimit", &["--pid", &server.0.id().to_string(), "--nofile=12:12"]);
    let clients: Vec<_> = (0..20).map(|_| UnixStream::connect(&socket).unwrap()).collect();
    std::thread::sleep(std::time::Duration::from_millis(300));
    drop(clients);
    if is_here("nbdcopy") {
        let copy = study.path("copy.img");
        run("nbdcopy", &[&address(&socket), copy.to_str().unwrap()]);
        assert!(fs::read(&copy).unwrap() == disk());
    }
    let mut said = server.0.stderr.take().unwrap();
    server.end();
    let mut lines = String::new();
    said.read_to_string(&mut lines).unwrap();
    // a few times: clients that leave make room for some of the waiting ones
    let told = lines.matches("cannot serve another client now: ").count();
    assert!((1..20).contains(&told), "{lines}");
}

#[test]
fn a_socket_that_cannot_be_made_is_refused() {
    let study = Study::new();
    let image = study.image_of(&disk(), "UDSP", &[], "");
    let taken = study.path("taken");
    fs::write(&taken, "x").unwrap();
    for (socket, words) in [
        (taken, "already exists: choose another name"),
        (study.path("no/folder"), "cannot create a socket at"),
        (study.path(&"x".repeat(200)), "cannot create a socket at"),
    ] {
        let refused = study.image("serve", &image, &["--socket", socket.to_str().unwrap()]);
        let line = refused.refused_with(4);
        assert!(line.contains(words), "{line}");
    }
    assert_eq!(fs::read(study.path("taken")).unwrap(), b"x");
}
