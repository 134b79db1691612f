/**
 * P2. Writers tell every note that was acknowledged while their server is cut off, restarted, crashed, replaced by a
 * standby, and their connections are terminated. Afterwards what was told is there once, what failed for certain is not
 * there, and every fault had its true name.
 */
import postgres from "postgres";
import { expect, inject, onTestFinished } from "vitest";
import { type FlakyLink, flakyLink } from "../store-contract/flaky-link.ts";
import { bundleFixture, type RunningFixture, startFixture } from "../support/fixture.ts";
import { type OwnServer, startPostgres } from "../support/postgres-server.ts";
import { SeededRandom } from "../support/random.ts";
import { groundAt } from "../support/sqlite-world.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { Told } from "./fixtures/patient-writer.ts";
import { expectNotesAsTold } from "./told-notes.ts";
import { figure, freshSeed, verifies } from "./verifies.ts";

const hasServer = inject("postgresUrl") !== null;

if (!hasServer) process.stderr.write("SKIPPED: P2: there is no PostgreSQL server\n");

const WRITERS = ["claude:ann", "codex:bob", "gemini:cy"];
const FAULTS = figure(20, 500);
interface Scene {
  readonly server: OwnServer;
  readonly standby: string;
  readonly link: FlakyLink;
  readonly admin: postgres.Sql;
  /** Resolves when some writer tells this. */
  readonly until: (condition: (told: Told) => boolean) => Promise<void>;
}

/** What happens to the server, and by which names writers may tell of it. */
const KINDS: readonly { readonly codes: readonly string[]; readonly make: (scene: Scene) => Promise<void> }[] = [
  { codes: ["store_unreachable"], make: async ({ link }) => link.cut() },
  {
    codes: ["store_unreachable"],
    make: async ({ link, until }) => {
      await link.down();
      await until(({ did }) => did === "fault");
      await link.up();
    },
  },
  {
    codes: ["store_unreachable"],
    make: async ({ admin }) => {
      await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'talking-stick'`;
    },
  },
  { codes: ["store_unreachable"], make: ({ server }) => server.restart("SIGINT") },
  { codes: ["store_unreachable"], make: ({ server }) => server.restart("SIGQUIT") },
  {
    codes: ["store_unreachable", "store_readonly"],
    make: async ({ server, standby, link, until }) => {
      link.turnTo(standby);
      await until((told) => told.did === "fault" && told.code === "store_readonly");
      link.turnTo(server.url);
    },
  },
];

/** Everything that was told, and who waits for something to be told. */
class Ears {
  readonly told: Told[] = [];
  readonly #waiting = new Set<(told: Told) => void>();

  async listen(writer: RunningFixture): Promise<void> {
    for await (const line of writer.lines()) {
      this.told.push(line as Told);
      for (const hear of this.#waiting) hear(line as Told);
    }
  }

  until(condition: (told: Told) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const hear = (told: Told) => {
        if (!condition(told)) return;
        this.#waiting.delete(hear);
        resolve();
      };
      this.#waiting.add(hear);
    });
  }

  /** Every writer has written something. */
  async untilAllWrite(): Promise<void> {
    await Promise.all(
      WRITERS.map((agent) => this.until(({ did, body }) => did === "note" && body.endsWith(` of ${agent}`))),
    );
  }
}

verifies("P2", `${FAULTS} faults of a server, a line and its connections`, async () => {
  if (!hasServer) return;
  const seed = freshSeed();
  const random = new SeededRandom(seed);
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const standby = await server.standby();
  const link = await flakyLink(server.url);
  const ground = groundAt(temporaryDirectory(), { TT_STORE: link.url });
  const bundle = await bundleFixture("test/promises/fixtures/patient-writer.ts");
  onTestFinished(() => bundle.remove());
  const ears = new Ears();
  const writers = WRITERS.map((agentId) =>
    startFixture(bundle, [JSON.stringify({ agentId, tree: ground.tree })], { env: { ...ground.env } }),
  );
  onTestFinished(() => writers.forEach(({ child }) => child.kill("SIGKILL")));
  const heard = Promise.all(writers.map((writer) => ears.listen(writer)));
  const died = Promise.race(writers.map(async ({ ended }) => Promise.reject(new Error((await ended).stderr))));
  died.catch(() => undefined);

  for (let number = 0; number < FAULTS; number += 1) {
    await Promise.race([ears.untilAllWrite(), died]);
    const kind = number < KINDS.length ? KINDS[number] : random.pick(KINDS);
    const from = ears.told.length;
    const admin = postgres(server.url, { max: 1, fetch_types: false, onnotice: () => undefined });
    const scene = {
      server,
      standby,
      link,
      admin,
      until: (condition: (told: Told) => boolean) => ears.until(condition),
    };
    await Promise.race([kind?.make(scene), died]);
    await admin.end({ timeout: 0 });
    await Promise.race([ears.untilAllWrite(), died]);
    const codes = ears.told.slice(from).flatMap((told) => (told.did === "fault" ? told.code : []));
    const untrue = codes.filter((code) => kind?.codes.includes(code) !== true);
    expect({ seed, number, untrue }).toEqual({ seed, number, untrue: [] });
  }
  for (const { child } of writers) child.kill("SIGKILL");
  await heard;
  await expectNotesAsTold(server.url, ears.told, seed);
  // Every fault here is heard of at once: nobody waits for an answer that cannot come.
  const unanswered = ears.told.filter((told) => told.did === "fault" && told.unanswered);
  expect({ seed, unanswered }).toEqual({ seed, unanswered: [] });
});
