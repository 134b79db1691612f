/** A machine whose person has the page open: agents and the person work on the command line, and `tt ui` serves. */
import { readFileSync } from "node:fs";
import { afterAll, onTestFinished, vi } from "vitest";
import { asPerson, CliWorld, type RunOptions } from "../../cli/support/cli-world.ts";
import type { Ended, Running } from "../../cli/support/running.ts";
import { makeRepository } from "../../support/git-repository.ts";
import type { AtEnd } from "../../support/temporary-directory.ts";

/** A busy machine must not skip a record of a turn. */
const PATIENT = { TT_SNAPSHOT_MAX_MS: "60000" };
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\S*/;

export class PageWorld extends CliWorld {
  readonly #servers: PageServer[] = [];

  constructor(atEnd: AtEnd = onTestFinished) {
    super(undefined, atEnd);
    makeRepository(this.tree);
    // Without its terminal a server ends a moment later, and would write into a directory that is being removed.
    atEnd(async () => {
      for (const server of this.#servers) await server.kill();
    });
  }

  override env(more: RunOptions["env"] = {}): Record<string, string> {
    return super.env({ ...PATIENT, ...more });
  }

  /** The agents have joined, in this order. */
  static async with(...agents: readonly string[]): Promise<PageWorld> {
    const world = new PageWorld();
    for (const as of agents) await world.done("join", { as });
    return world;
  }

  /** The room of the tree. */
  async roomId(): Promise<string> {
    const { room } = (await this.done("state --json")).json() as { room: { room_id: string } };
    return room.room_id;
  }

  /** A command of the person, at a terminal. */
  async person(words: string | readonly string[]): Promise<string> {
    const { code, stdout } = await asPerson(this, words);
    if (code !== 0) throw new Error(`tt ${String(words)} ended with ${code}: ${stdout}`);
    return stdout;
  }

  /** Starts the page's server at a terminal of the person, and resolves when it has told its address. */
  async ui({ words = "", env = {} }: { words?: string; env?: RunOptions["env"] } = {}): Promise<PageServer> {
    const line = `exec '${process.execPath}' '${this.program}' ui --no-open ${words}`;
    const options = { who: "a person", env: { TERM: "xterm-256color", NO_COLOR: "1", ...env }, input: null };
    const running = this.startProgram("script", ["-qfec", line, "/dev/null"], options);
    await running.until(({ stdout }) => ADDRESS.test(stdout.slice(0, stdout.lastIndexOf("\n"))));
    const server = new PageServer(running, ADDRESS.exec(running.stdout)?.[0] ?? "");
    this.#servers.push(server);
    return server;
  }
}

/** A world that the tests of a file share: each looks at it, and what the others have done there does not matter to it. */
export function sharedWorld<Site>(fill: (world: PageWorld) => Promise<Site>): () => Promise<Site> {
  const cleanUps: Parameters<AtEnd>[0][] = [];
  let made: Promise<Site> | undefined;
  afterAll(async () => {
    for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  });
  // Not before a test asks for it: without a browser none does.
  return () => (made ??= fill(new PageWorld((cleanUp) => void cleanUps.push(cleanUp))));
}

export class PageServer {
  /** With the secret of this run. */
  readonly address: string;
  readonly #terminal: Running;

  constructor(terminal: Running, address: string) {
    this.#terminal = terminal;
    this.address = address;
  }

  get origin(): string {
    return new URL(this.address).origin;
  }

  /** Of the program itself: `script` only holds its terminal. */
  get pid(): number {
    const { pid } = this.#terminal;
    const [child = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    if (child === "") throw new Error("tt ui has ended");
    return Number(child);
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** As Ctrl-C at its terminal. */
  interrupt(): void {
    this.#terminal.child.stdin?.write("\u0003");
  }

  /** What its terminal shows. */
  get shown(): string {
    return this.#terminal.stdout;
  }

  get ended(): Promise<Ended> {
    return this.#terminal.ended;
  }

  async kill(): Promise<void> {
    if (this.#terminal.isOver) return;
    const { pid } = this;
    process.kill(pid, "SIGKILL");
    await vi.waitUntil(() => hasEnded(pid), { timeout: 60_000 });
    // `script` stops itself when its program was stopped, and sometimes not before now.
    this.#terminal.kill("SIGKILL");
    await this.#terminal.ended;
  }

  async end(): Promise<void> {
    this.signal("SIGTERM");
    await this.ended;
  }
}

/** Also if nobody has asked yet how it ended. */
function hasEnded(pid: number): boolean {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    // Its entry has gone.
    return true;
  }
}
