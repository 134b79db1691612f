/** Programs whose words are more than flags and operands. */
import { type ShellFinding, unknown, writes } from "./finding.ts";
import { isFlagOf, readFlags } from "./flags.ts";
import { isSink, parentOf, type ShellPlace, targetsAt, within } from "./place.ts";
import { type Argument, literal } from "./words.ts";

const TAR_FLAGS =
  "ctxruAvzjJapkmSwhWOPG f: C: T: X: --list --extract --get --create --append --update --verbose --gzip --bzip2 --xz --zstd --auto-compress --file: --directory: --exclude: --strip-components: --to-stdout --wildcards --no-same-owner --no-same-permissions --preserve-permissions --overwrite --keep-old-files --transform: --files-from: --sort: --mtime: --owner: --group: --numeric-owner --absolute-names --null";

export function judgeTar(words: readonly Argument[], place: ShellPlace): readonly ShellFinding[] {
  const [first, ...rest] = words;
  // The old style: the first word is flags without a dash.
  const dashed = first?.isLiteral && /^[A-Za-z]+$/.test(first.text) ? [literal(`-${first.text}`), ...rest] : words;
  const given = readFlags(dashed, TAR_FLAGS);
  if (given.unclear !== null) return unknown(`tar ${given.unclear}`);
  const has = (...names: readonly string[]) => given.flags.some(({ name }) => names.includes(name));
  if (has("-t", "--list")) return [];
  const archive = given.flags.find(({ name }) => name === "-f" || name === "--file")?.value ?? null;
  const directory = given.flags.findLast(({ name }) => name === "-C" || name === "--directory")?.value ?? null;
  if (has("-x", "--extract", "--get")) {
    if (has("-O", "--to-stdout")) return [];
    const inside = directory ? within(place, directory) : place;
    return writes("tar x", has("-P", "--absolute-names") ? null : targetsAt(inside, [literal(".")]));
  }
  if (!has("-c", "--create", "-r", "--append", "-u", "--update", "-A")) return unknown("tar");
  // A name with a colon is an archive on another machine.
  if (archive === null || archive.text.includes(":")) return unknown("tar c");
  if (isSink(archive) || archive.text === "-") return [];
  return writes("tar c", targetsAt(place, [archive]));
}

const ZIPPER_PRINTS = "c --stdout --to-stdout";
const ZIPPER_LOOKS = "l t --list --test";
/** Some of these undo a flag before them that only looks, and --rm removes the input whatever the output is. */
const ZIPPER_CHANGES = "d z --decompress --compress --rm";
const ZIPPER_FLAGS = `123456789fknqveTNr --fast --best --keep --force --quiet --verbose --recursive S: D: T?
  ${ZIPPER_PRINTS} ${ZIPPER_LOOKS} ${ZIPPER_CHANGES}`;

/** gzip and its kin put the output beside the input, and remove the input. */
export function judgeZipper(words: readonly Argument[], place: ShellPlace): readonly ShellFinding[] {
  const given = readFlags(words, ZIPPER_FLAGS);
  if (given.unclear !== null) return unknown(given.unclear);
  const has = (flags: string) => given.flags.some((flag) => isFlagOf(flags, flag));
  if (has(ZIPPER_PRINTS) && !has("--rm")) return [];
  if (has(ZIPPER_LOOKS) && !has(ZIPPER_CHANGES)) return [];
  // It only passes its input on.
  if (given.operands.length === 0) return [];
  return writes("zip", targetsAt(place, given.operands.map(parentOf)));
}

const CURL_FLAGS =
  "fsSLkIivgGNq46# H: A: e: u: m: w: x: b: r: X: Z --fail --silent --show-error --location --insecure --head --include --verbose --header: --user-agent: --referer: --user: --max-time: --connect-timeout: --compressed --request: --url: --retry: --retry-delay: --get --no-buffer --ipv4 --ipv6 --http1.1 --http2 --proxy: --cacert: --range: --globoff --fail-with-body --no-progress-meter --progress-bar --max-redirs: --resolve: --write-out: --retry-all-errors --retry-connrefused --tlsv1.2 --proto: --cookie:";
const CURL_WRITING =
  "o: O J D: c: --output: --remote-name --remote-name-all --remote-header-name --dump-header: --cookie-jar: --trace: --trace-ascii: --stderr: --libcurl: --etag-save: --output-dir: --create-dirs";

export function judgeCurl(words: readonly Argument[], place: ShellPlace): readonly ShellFinding[] {
  const given = readFlags(words, `${CURL_FLAGS} ${CURL_WRITING}`);
  const written = given.flags.filter((flag) => isFlagOf(CURL_WRITING, flag));
  const paths = written.map(({ value }) => value ?? literal("."));
  const isPrinted = paths.every((path) => isSink(path) || path.text === "-");
  if (written.length > 0 && !isPrinted) {
    return writes(`curl ${written[0]?.name ?? ""}`, given.unclear === null ? targetsAt(place, paths) : null);
  }
  if (given.unclear !== null) return unknown(`curl ${given.unclear}`);
  for (const { name, value } of given.flags) {
    // Another method may change what a server of this machine keeps in the tree.
    if (/^(-X|--request)$/.test(name) && !/^(GET|HEAD|OPTIONS)$/.test(value?.text ?? "")) return unknown("curl -X");
    // It can name a file to write to.
    if (/^(-w|--write-out)$/.test(name) && !(value?.isLiteral && !/output\{|^@/.test(value.text)))
      return unknown("curl -w");
  }
  return [];
}

export function judgeWget(words: readonly Argument[], place: ShellPlace): readonly ShellFinding[] {
  const given = readFlags(
    words,
    "qcnvSr O: P: T: t: U: o: --quiet --output-document: --directory-prefix: --timeout: --tries: --header: --no-check-certificate --spider --no-verbose --user-agent: --server-response --continue --recursive --show-progress",
  );
  if (given.unclear !== null) return writes("wget", null);
  const document = given.flags.findLast(({ name }) => name === "-O" || name === "--output-document")?.value;
  if (given.flags.some(({ name }) => name === "-o")) return writes("wget -o", null);
  if (given.flags.some(({ name }) => name === "--spider")) return [];
  if (document) return document.text === "-" || isSink(document) ? [] : writes("wget -O", targetsAt(place, [document]));
  const directory = given.flags.findLast(({ name }) => name === "-P" || name === "--directory-prefix")?.value;
  return writes("wget", targetsAt(place, [directory ?? literal(".")]));
}

export function judgeDd(words: readonly Argument[], place: ShellPlace): readonly ShellFinding[] {
  const output = words.find(({ text }) => text.startsWith("of="));
  if (words.some(({ mayBeFlags }) => mayBeFlags) && !output) return unknown("dd");
  if (!output) return [];
  const path = output.isLiteral ? literal(output.text.slice(3)) : output;
  return isSink(path) ? [] : writes("dd of=", targetsAt(place, [path]));
}

/** Also for scp: the last operand is the destination. */
export function judgeRsync(words: readonly Argument[], place: ShellPlace): readonly ShellFinding[] {
  const given = readFlags(
    words,
    "avzrltpgoDHAXnPhqcuxW e: --archive --verbose --delete --exclude: --include: --progress --dry-run --recursive --compress --human-readable --stats --checksum --update --partial --delete-after --filter: --info:",
  );
  const destination = given.operands.at(-1);
  if (given.operands.length < 2 || destination === undefined) return unknown("rsync");
  if (given.operands.some(({ text }) => /^[^/]*:/.test(text)) || given.flags.some(({ name }) => name === "-e")) {
    return unknown("rsync");
  }
  if (given.flags.some(({ name }) => name === "-n" || name === "--dry-run"))
    return given.unclear === null ? [] : unknown("rsync");
  return writes("rsync", given.unclear === null ? targetsAt(place, [destination]) : null);
}

/** Also for ruby. Its programs can do anything, but -i says that it writes. */
export function judgePerl(words: readonly Argument[]): readonly ShellFinding[] {
  const inPlace = words.some(
    ({ text, isLiteral }) => isLiteral && /^-[a-zA-Z0-9]*i/.test(text) && !/^-[a-zA-Z0-9]*[eEMmI].*i/.test(text),
  );
  return inPlace ? writes("-i", null) : unknown("perl");
}

const GH_READS =
  /^(pr|issue|run|release|repo|workflow|gist|label|search|status|auth|api|browse|cache|ruleset|variable|secret) /;

export function judgeGh(words: readonly Argument[]): readonly ShellFinding[] {
  const texts = words.map(({ text }) => text);
  if (words.some(({ mayBeFlags }) => mayBeFlags) || texts.some((text) => /^(-w|--web)$/.test(text)))
    return unknown("gh");
  const [noun = "", verb = ""] = texts;
  if (noun === "pr" && verb === "checkout") return writes("gh pr checkout", null);
  if (noun === "repo" && verb === "clone") return writes("gh repo clone", null);
  if (/^(run|release)$/.test(noun) && verb === "download") return writes(`gh ${noun} download`, null);
  if (noun === "status" || (noun === "search" && verb !== "")) return [];
  if (noun === "api")
    return texts.some((text) => /^(-X|-f|-F|--method|--field|--raw-field|--input|--cache)/.test(text))
      ? unknown("gh api")
      : [];
  return GH_READS.test(`${noun} `) && /^(view|list|status|diff|checks)$/.test(verb) ? [] : unknown("gh");
}
