/**
 * Whether a path lies on a file system that other machines can write to. Neither the locks of a database nor the stick
 * is safe there. The answer comes from the table of mounts, which never waits for a server that does not respond.
 * Reading that table is slow for a short command. So it is skipped if the kernel reports, by number, one of the usual
 * local file systems. That call may wait for a server, but the caller has already accessed the path.
 */
import { readFileSync, statfsSync } from "node:fs";
import { askProgram } from "../process/ask-program.ts";
import { isWithin } from "./path-in.ts";

/**
 * The names of these kinds, each between blanks. Names of file systems in user space are without the "fuse." in front.
 */
const NETWORK_KINDS =
  " nfs nfs4 cifs smb smb2 smb3 smbfs afpfs 9p afs coda ncpfs webdav davfs davfs2" +
  " ceph lustre glusterfs beegfs gpfs ocfs2 gfs2 orangefs pvfs2 panfs wekafs" +
  " sshfs rclone s3fs gcsfuse goofys juicefs mount-s3 mountpoint-s3 blobfuse blobfuse2 curlftpfs smbnetfs" +
  " seaweedfs mfs lizardfs vboxsf vmhgfs vmhgfs-fuse prl_fs ";

/** Linux's numbers of the kinds that no other machine writes to: ext2 to ext4, xfs, btrfs, f2fs, zfs, tmpfs, overlay. */
const LOCAL_MAGIC: readonly number[] = [0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630];

interface Mount {
  readonly point: string;
  readonly kind: string;
}

/** The kind of network file system that holds the path (absolute, without symlinks), or null when none does. */
export function networkFileSystem(path: string): string | null {
  return isOnLocalDisk(path) ? null : networkKindAt(path, readMounts());
}

/** False also if the kind is not known. */
function isOnLocalDisk(path: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    return isLocalMagic(statfsSync(path).type);
  } catch {
    // Missing or not accessible: the table of mounts needs only the path.
    return false;
  }
}

export function isLocalMagic(magic: number): boolean {
  return LOCAL_MAGIC.includes(magic);
}

export function networkKindAt(path: string, mounts: readonly Mount[]): string | null {
  let deepest: Mount | null = null;
  for (const mount of mounts) {
    // Of two mounts on one point the later one is on top.
    if (isWithin(mount.point, path) && mount.point.length >= (deepest?.point.length ?? 0)) deepest = mount;
  }
  return deepest !== null && isNetworkKind(deepest.kind) ? deepest.kind : null;
}

function isNetworkKind(kind: string): boolean {
  return NETWORK_KINDS.includes(` ${kind.replace(/^(fuse|fuseblk|macfuse|osxfuse)\./, "")} `);
}

/** "36 35 98:0 / /mnt rw,noatime shared:1 - ext3 /dev/root rw": the optional fields end at the lone dash. */
export function parseMountinfo(text: string): Mount[] {
  return text.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const [point, kind] = [before.split(" ")[4], after.split(" ")[0]];
    return point && kind ? [{ point: unescape(point), kind }] : [];
  });
}

/** "//user@server/share on /Volumes/share (smbfs, nodev, nosuid)", as `mount` prints it on macOS. */
export function parseMountOutput(text: string): Mount[] {
  return text.split("\n").flatMap((line) => {
    const match = /^.*? on (\/.*) \(([^,)]+)[^()]*\)$/.exec(line);
    return match?.[1] === undefined || match[2] === undefined ? [] : [{ point: match[1], kind: match[2] }];
  });
}

function readMounts(): Mount[] {
  try {
    if (process.platform === "linux") return parseMountinfo(readFileSync("/proc/self/mountinfo", "utf8"));
    if (process.platform !== "darwin") return [];
    return parseMountOutput(askProgram("/sbin/mount", []));
  } catch {
    // A sandbox may have no such table. Refusing every path there would help nobody.
    return [];
  }
}

/** Blanks, tabs, line ends and backslashes are written as three octal digits of each byte. */
function unescape(point: string): string {
  if (!point.includes("\\")) return point;
  return point.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
