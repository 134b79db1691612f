/**
 * P2 with machines: writers on two of them tell every note that was acknowledged, while one is cut off for half a minute,
 * the server restarts, their connections are terminated, and at last a standby takes the place of the lost primary. With
 * synchronous replication what was acknowledged is on the standby, so nothing that was told is lost.
 */
import postgres from "postgres";
import { describe, inject, onTestFinished } from "vitest";
import { bundleFixture, type RunningFixture, startFixture } from "../support/fixture.ts";
import { canMakeHosts, HostNetwork } from "../support/host-network.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { skipUnless } from "../support/privileges.ts";
import { quickPlace } from "../support/quick-place.ts";
import type { Told } from "./fixtures/patient-writer.ts";
import { expectNotesAsTold } from "./told-notes.ts";
import { verifies } from "./verifies.ts";

const cannot = inject("postgresUrl") === null || skipUnless(canMakeHosts, "networks and namespaces, to make hosts");

const CUT_MS = 30_000;
const TERMINATED = 10;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What one writer told. */
class Ear {
  readonly told: Told[] = [];
  readonly writer: RunningFixture;

  constructor(writer: RunningFixture) {
    this.writer = writer;
    void this.#listen();
  }

  /** Resolves when it has told of another note, which was begun after now. */
  async untilItWrites(): Promise<void> {
    const from = this.told.length;
    const notes = () => this.told.slice(from).filter(({ did }) => did === "note").length;
    while (notes() < 2) {
      if (this.writer.child.exitCode !== null) throw new Error((await this.writer.ended).stderr);
      await sleep(20);
    }
  }

  async #listen(): Promise<void> {
    for await (const line of this.writer.lines()) this.told.push(line as Told);
  }
}

describe.skipIf(cannot)("two machines", () => {
  verifies(
    "P2",
    "writers on two machines lose nothing by a cut, a restart, terminated connections and a failover",
    async () => {
      const network = HostNetwork.open({ atEnd: onTestFinished, program: inject("tt") });
      const server = await startPostgres(network.serverSettings, "", quickPlace(), network.range);
      onTestFinished(() => server.stop());
      const standby = await server.standby();
      const admin = postgres(server.url, { max: 1, fetch_types: false, onnotice: () => undefined });
      onTestFinished(() => admin.end({ timeout: 0 }));
      await admin`ALTER SYSTEM SET synchronous_standby_names = '*'`;
      await admin`SELECT pg_reload_conf()`;
      // Of several servers, a process uses the one that is not a standby.
      const [primaryPlace, standbyPlace] = [server.url, standby].map((url) => new URL(network.reach(url)).host);
      const both = network.reach(server.url).replace(String(primaryPlace), `${primaryPlace},${standbyPlace}`);
      const bundle = await bundleFixture("test/promises/fixtures/patient-writer.ts");
      onTestFinished(() => bundle.remove());
      const [cut, other] = [await network.host({ name: "cut" }), await network.host({ name: "other" })];
      const ears = [cut, other].map((host, index) => {
        const options = { agentId: `agent:${index}`, tree: host.ground.tree };
        const env = { ...host.ground.env, TT_STORE: both };
        return new Ear(startFixture(bundle, [JSON.stringify(options)], { env }, host.enter));
      });
      const [ofCut, ofOther] = ears as [Ear, Ear];
      const bothWrite = async () => void (await Promise.all(ears.map((ear) => ear.untilItWrites())));
      await bothWrite();

      cut.cut();
      await Promise.all([sleep(CUT_MS), ofOther.untilItWrites()]);
      cut.mend();
      await bothWrite();

      for (let count = 0; count < TERMINATED; count += 1) {
        await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'talking-stick'`;
        await ofOther.untilItWrites();
      }
      await ofCut.untilItWrites();

      await server.restart("SIGINT");
      await bothWrite();

      await server.end("SIGKILL");
      const promoter = postgres(standby, { max: 1, fetch_types: false, onnotice: () => undefined });
      onTestFinished(() => promoter.end({ timeout: 0 }));
      await promoter`ALTER SYSTEM SET synchronous_standby_names = ''`;
      await promoter`SELECT pg_promote()`;
      await promoter`SELECT pg_reload_conf()`;
      await bothWrite();
      await cut.die();
      await other.die();
      await expectNotesAsTold(standby, [...ofCut.told, ...ofOther.told]);
    },
  );
});
