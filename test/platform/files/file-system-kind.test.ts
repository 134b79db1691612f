import { describe, expect, test } from "vitest";
import {
  isLocalMagic,
  networkFileSystem,
  networkKindAt,
  parseMountinfo,
  parseMountOutput,
} from "../../../src/platform/files/file-system-kind.ts";

const linux = [
  "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
  "30 22 0:40 / /home rw,relatime shared:5 master:2 - nfs4 server:/home rw,vers=4.2",
  "31 30 8:2 / /home/ann/fast rw,relatime - xfs /dev/sdb1 rw",
  String.raw`32 22 0:41 / /mnt/two\040words\134back rw - fuse.sshfs ann@server:/ rw`,
  "33 22 0:42 / /net rw - autofs auto.net rw",
  "34 33 0:43 / /net rw - nfs server:/net rw",
  "35 22 0:44 / /mnt/data rw - nfs server:/data rw",
  "36 22 8:3 / /mnt/data rw - ext4 /dev/sdc1 rw",
  "37 22 0:45 / /mnt/photos rw - fuse.gocryptfs /dev/x rw",
  "",
].join("\n");

describe("mounts of Linux", () => {
  test.each([
    ["/", null],
    ["/etc", null],
    ["/home", "nfs4"],
    ["/home/ann/code", "nfs4"],
    ["/home/ann/fast/code", null],
    ["/homework", null],
    ["/mnt/two words\\back/x", "fuse.sshfs"],
    ["/net/x", "nfs"],
    ["/mnt/data/x", null],
    ["/mnt/photos/x", null],
  ])("%s is on %s", (path, kind) => {
    expect(networkKindAt(path, parseMountinfo(linux))).toBe(kind);
  });

  test.each(
    "nfs nfs4 cifs smb3 9p afs ceph lustre glusterfs fuse.glusterfs fuse.rclone fuse.s3fs fuse.davfs davfs beegfs gpfs ocfs2 gfs2".split(
      " ",
    ),
  )("%s is a network file system", (kind) => {
    expect(networkKindAt("/a/b", parseMountinfo(`1 0 0:1 / /a rw - ${kind} x rw`))).toBe(kind);
  });

  test.each("ext4 xfs btrfs zfs tmpfs overlay fuse.gocryptfs fuseblk virtiofs".split(" "))("%s is none", (kind) => {
    expect(networkKindAt("/a/b", parseMountinfo(`1 0 0:1 / /a rw - ${kind} x rw`))).toBeNull();
  });

  test.each(["", "\n", "not a mount table", "1 2 3", "1 0 0:1 / /a rw shared:1 nfs x rw"])(
    "the text %j holds no mounts",
    (text) => {
      expect(parseMountinfo(text)).toEqual([]);
    },
  );

  test("the file system of this machine's root is looked up without harm", () => {
    expect(networkFileSystem("/proc")).toBeNull();
  });
});

describe("the number that the kernel has for a kind", () => {
  test.each([
    ["ext4", 0xef53],
    ["xfs", 0x58465342],
    ["btrfs", 0x9123683e],
    ["tmpfs", 0x01021994],
    ["overlay", 0x794c7630],
  ])("of %s leaves nothing to ask", (_, magic) => {
    expect(isLocalMagic(magic)).toBe(true);
  });

  test.each([
    ["nfs", 0x6969],
    ["cifs", 0xff534d42],
    ["smb2", 0xfe534d42],
    ["smb", 0x517b],
    ["fuse", 0x65735546],
    ["9p", 0x01021997],
    ["ceph", 0x00c36400],
    ["afs", 0x5346414f],
    ["ocfs2", 0x7461636f],
    ["gfs2", 0x01161970],
    ["lustre", 0x0bd00bd0],
    ["vboxsf", 0x786f4256],
    ["a kind of next year", 0x12345678],
  ])("of %s is looked up in the table of mounts", (_, magic) => {
    expect(isLocalMagic(magic)).toBe(false);
  });
});

describe("mounts of macOS", () => {
  const macos = [
    "/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)",
    "//ann@server/share on /Volumes/my share (smbfs, nodev, nosuid, mounted by ann)",
    "server:/export on /Volumes/x (nfs)",
  ].join("\n");

  test.each([
    ["/Users/ann", null],
    ["/Volumes/my share/code", "smbfs"],
    ["/Volumes/x", "nfs"],
  ])("%s is on %s", (path, kind) => {
    expect(networkKindAt(path, parseMountOutput(macos))).toBe(kind);
  });
});
