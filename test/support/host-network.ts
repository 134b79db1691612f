/**
 * Machines of a test's own, as far as one kernel allows: each host has its own network, pid namespace with its own /proc,
 * host name, machine id and home directory. They reach each other, and a server of the test, over one bridge. The kernel
 * has one boot id, so hosts have the same one; `ownBoot` gives a host one that its processes read instead.
 *
 * The bridge lies in this machine's own network, because the server is there. Its name holds the pid of the test's process,
 * so the next test removes what a killed one has left. All else goes with the first process of each host, and that one
 * ends with its standard input, however the test ends. Nothing here needs a test runner: what opens a network says what
 * ends it.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRoot } from "./privileges.ts";
import { quickPlace } from "./quick-place.ts";
import { type Ground, groundAt } from "./sqlite-world.ts";
import type { AtEnd } from "./temporary-directory.ts";

const BRIDGE = "ttb";
const PORT = "ttv";
const UNSHARE = ["--net", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--uts"] as const;

/** Whether this machine lets us make some. */
export const canMakeHosts =
  process.platform === "linux" &&
  isRoot &&
  spawnSync("unshare", [...UNSHARE, "true"]).status === 0 &&
  ip("link", "add", `${BRIDGE}${process.pid}`, "type", "bridge") &&
  ip("link", "del", `${BRIDGE}${process.pid}`);

function ip(...words: readonly string[]): boolean {
  return spawnSync("ip", words, { stdio: "ignore" }).status === 0;
}

function mustRun(program: string, ...words: readonly string[]): void {
  execFileSync(program, words, { stdio: ["ignore", "ignore", "inherit"] });
}

export interface HostTraits {
  readonly name: string;
  /** Its own by default; two clones of one image have the same. */
  readonly machineId?: string;
  /** Its own, as another machine has it; by default the one of this kernel. */
  readonly ownBoot?: boolean;
  /** Its disk, which stays when it dies. By default it has one of its own, removed at the end. */
  readonly disk?: string;
}

export interface NetworkOptions {
  /** Takes what must be done at the end. */
  readonly atEnd: AtEnd;
  /** The built program. */
  readonly program: string;
}

/** The kernel removes a port only some time after its host has ended, so no name comes twice. */
let ports = 0;

export class HostNetwork {
  /** Where a server must listen to be reached from the hosts. */
  readonly address: string;
  /** The addresses of the hosts. */
  readonly range: string;
  readonly #bridge: string;
  readonly #base: string;
  readonly #options: NetworkOptions;
  #hosts = 0;

  private constructor(bridge: string, base: string, options: NetworkOptions) {
    this.#bridge = bridge;
    this.#base = base;
    this.#options = options;
    this.address = `${base}.1`;
    this.range = `${base}.0/24`;
  }

  static open(options: NetworkOptions): HostNetwork {
    removeLeftovers();
    const bridge = `${BRIDGE}${process.pid}`;
    const base = `10.213.${freeNumber()}`;
    mustRun("ip", "link", "add", bridge, "type", "bridge");
    options.atEnd(() => void ip("link", "del", bridge));
    mustRun("ip", "addr", "add", `${base}.1/24`, "dev", bridge);
    // A bridge takes the hardware address of one of its ports, unless it was given one.
    mustRun("ip", "link", "set", bridge, "address", hardwareAddress(bridge), "up");
    return new HostNetwork(bridge, base, options);
  }

  /** The settings of a server that the hosts reach (postgres-server.ts). */
  get serverSettings(): readonly string[] {
    return [`listen_addresses=127.0.0.1,${this.address}`];
  }

  /** The address of a server of this machine, as hosts name it. */
  reach(url: string): string {
    return url.replace("127.0.0.1", this.address);
  }

  async host(traits: HostTraits, settings: Ground["env"] = {}): Promise<TestHost> {
    this.#hosts += 1;
    ports += 1;
    const port = `${PORT}${process.pid}x${ports}`;
    const address = `${this.#base}.${this.#hosts + 1}/24`;
    return TestHost.start({ ...traits, port, address, bridge: this.#bridge, ...this.#options }, settings);
  }
}

/** Of test processes that do not run any more. */
function removeLeftovers(): void {
  for (const name of readdirSync("/sys/class/net")) {
    const pid = /^ttb(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && (!existsSync(`/proc/${pid}`) || Number(pid) === process.pid)) ip("link", "del", name);
  }
}

/** A range that no bridge here has. */
function freeNumber(): number {
  const taken = execFileSync("ip", ["-4", "-o", "addr"], { encoding: "utf8" });
  for (;;) {
    const number = 1 + ((randomBytes(1)[0] ?? 0) % 254);
    if (!taken.includes(` 10.213.${number}.`)) return number;
  }
}

function hardwareAddress(device: string): string {
  return readFileSync(`/sys/class/net/${device}/address`, "utf8").trim();
}

function diskUntil(atEnd: AtEnd): string {
  const directory = realpathSync(mkdtempSync(join(quickPlace(), "tt-host-")));
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

interface Wiring extends NetworkOptions {
  readonly port: string;
  readonly address: string;
  readonly bridge: string;
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export class TestHost {
  readonly name: string;
  readonly ground: Ground;
  /** Put before a command, it runs that command there. */
  readonly enter: readonly string[];
  readonly #keeper: ChildProcess;
  readonly #first: number;
  readonly #port: string;
  readonly #bridge: string;
  readonly #program: string;

  private constructor(name: string, ground: Ground, keeper: ChildProcess, { port, bridge, program }: Wiring) {
    this.name = name;
    this.ground = ground;
    this.#keeper = keeper;
    this.#port = port;
    this.#bridge = bridge;
    this.#program = program;
    this.#first = Number(readFileSync(`/proc/${keeper.pid}/task/${keeper.pid}/children`, "utf8").trim());
    const flags = ["--net", "--pid", "--mount", "--uts"];
    this.enter = ["nsenter", "--target", String(this.#first), ...flags, "--"];
  }

  static async start(traits: HostTraits & Wiring, settings: Ground["env"]): Promise<TestHost> {
    const {
      name,
      machineId = randomUUID().replaceAll("-", ""),
      ownBoot = false,
      atEnd,
      port,
      address,
      bridge,
    } = traits;
    const directory = traits.disk ?? diskUntil(atEnd);
    const files = [{ at: "/etc/machine-id", text: machineId }];
    if (ownBoot) files.push({ at: "/proc/sys/kernel/random/boot_id", text: randomUUID() });
    const mounts = files.map(({ at, text }, index) => {
      const file = join(directory, `own-${index}`);
      writeFileSync(file, `${text}\n`);
      return `mount --bind '${file}' ${at}`;
    });
    // Its first process says that it is ready, and then only waits for the end of its input.
    const script = [`hostname ${name}`, ...mounts, "ip link set lo up", "echo ready", "exec cat"].join(" && ");
    const keeper = spawn("unshare", [...UNSHARE, "sh", "-c", script], { stdio: ["pipe", "pipe", "ignore"] });
    atEnd(async () => {
      const ended = once(keeper, "close");
      if (keeper.kill("SIGKILL")) await ended;
    });
    const early = once(keeper, "exit").then(() => Promise.reject(new Error(`no host: ${script}`)));
    await Promise.race([once(keeper.stdout, "data"), early]);
    early.catch(() => undefined);
    const host = new TestHost(name, groundAt(directory, settings), keeper, traits);
    const inside = ["netns", String(host.#first)];
    mustRun("ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", ...inside);
    mustRun("ip", "link", "set", port, "master", bridge, "up");
    // The host knows where the server is. Otherwise its kernel would find out within seconds that nobody answers there.
    const gateway = `${address.replace(/\.\d+\/.*$/, ".1")} lladdr ${hardwareAddress(bridge)} nud permanent dev eth0`;
    host.read(`ip addr add ${address} dev eth0 && ip link set eth0 up && ip neigh replace ${gateway}`);
    return host;
  }

  /** The built program, there. It is ended with its host at the latest. */
  async tt(words: readonly string[], { env = {}, cwd = this.ground.tree }: { env?: Ground["env"]; cwd?: string } = {}) {
    const { child, ended } = this.start(words, { env, cwd });
    child.stdin?.end();
    return ended;
  }

  start(words: readonly string[], { env = {}, cwd = this.ground.tree }: { env?: Ground["env"]; cwd?: string } = {}) {
    const [program = "", ...flags] = this.enter.slice(0, -1);
    // With other mounts, a command begins at their root.
    const rest = [...flags, `--wdns=${cwd}`, "--", process.execPath, this.#program, ...words];
    const child = spawn(program, rest, { cwd, env: { ...this.ground.env, ...env } });
    const texts = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (texts.out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (texts.err += text));
    child.stdin.on("error", () => undefined);
    const ended = new Promise<Ran>((resolve) => child.once("close", (code) => resolve({ code, ...texts })));
    return { child, ended, texts };
  }

  /** From now on nothing that it sends arrives, and it hears nothing. No connection is refused or reset. */
  cut(): void {
    mustRun("ip", "link", "set", this.#port, "nomaster");
  }

  mend(): void {
    mustRun("ip", "link", "set", this.#port, "master", this.#bridge);
  }

  /** A machine that hangs: its kernel answers, its processes do not. */
  freeze(): void {
    this.read("kill -STOP -1");
  }

  /** The programs that started something there have stopped with it. */
  thaw(): void {
    this.read("kill -CONT -1");
    spawnSync("pkill", ["-CONT", "-f", `^nsenter --target ${this.#first} `]);
  }

  /** A letter for each that runs there, T for one that hangs. */
  statesOfProcesses(): string {
    return this.read("cat /proc/[0-9]*/status | sed -n 's/^State:.//p'");
  }

  /** What a script there prints. */
  read(script: string): string {
    const [program = "", ...flags] = this.enter;
    return execFileSync(program, [...flags, "sh", "-c", script], { encoding: "utf8" });
  }

  /** The power fails: nothing says goodbye. */
  async die(): Promise<void> {
    this.cut();
    const ended = once(this.#keeper, "close");
    process.kill(this.#first, "SIGKILL");
    await ended;
  }
}
