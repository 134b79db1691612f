/**
 * The process around one harness of `tt doctor --prove`. Its environment is that of the throwaway user, and its current
 * directory is that user's project. It belongs to a process group of its own, which it ends as soon as nobody listens.
 */
import { isRefusal, type Refusal } from "../core/refusal.ts";
import { harnessNamed } from "../harness/harnesses.ts";
import { type ProofWorld, proveHarness } from "../harness/prove-harness.ts";
import { endOwnGroup } from "../platform/process/contained.ts";
import { NO_PROOF_EVIDENCE, type ProofEvidence } from "../prove/rules/checks.ts";
import type { TalkingStick } from "../surfaces/library/talking-stick.ts";
import { openService } from "./open-talking-stick.ts";
import { readSettings } from "./settings.ts";

/** They are two, because what a message says about its sender must not look like what a refusal says about the holder. */
const HOLDER = "script:holder";
const SENDER = "script:sender";

interface Inside {
  readonly version: string;
  /** Resolves once the text has left the process. */
  readonly writeOut: (text: string) => Promise<void>;
}

export async function proveInside(name: string, program: string, { version, writeOut }: Inside): Promise<void> {
  process.stdin.on("end", endOwnGroup).resume();
  let printed = Promise.resolve();
  const report = (evidence: ProofEvidence) => {
    printed = printed.then(() => writeOut(`${JSON.stringify(evidence)}\n`));
  };
  try {
    const harness = harnessNamed(name);
    if (harness) await proveHarness(harness, { ...(await openWorld(version)), program, report });
  } catch (error) {
    report({ ...NO_PROOF_EVIDENCE, failure: error instanceof Error ? error.message : String(error) });
  }
  await printed;
  // The harness is still idle.
  endOwnGroup();
}

async function openWorld(version: string): Promise<Omit<ProofWorld, "program" | "report">> {
  // The room of the throwaway project is guarded from its beginning.
  const env = { ...process.env, TT_GUARD: "deny" };
  const tree = process.cwd();
  const holder = granted(await openService({ agentId: HOLDER, env }));
  const sender = granted(await openService({ agentId: SENDER, env }));
  const { roomId } = granted(await sender.joinPath({ contextPath: tree }));
  const { openInstaller } = await import("./install.ts");
  const { dataDir, shared: sharedStore } = granted(readSettings(env));
  const installer = granted(
    openInstaller({ env, project: tree, version, dataDir, sharedStore, toUndo: false, guard: true }),
  );
  return {
    env,
    home: installer.home,
    tree,
    install(wanted) {
      const [outcome] = granted(installer.carryOut([wanted], "in"));
      if (outcome?.status !== "done") throw new Error(`tt install was refused: ${outcome?.reason ?? ""}`);
    },
    holdStick: () => holdStick(holder, tree),
    async send(to, body, wake) {
      const sent = await sender.sendMessage({ roomId, to, body, wake });
      return isRefusal(sent) ? `the message could not be sent: ${sent.message}` : null;
    },
    async isIdle(wanted) {
      const { sessions } = granted(await sender.listProjectSessions({ contextPath: tree }));
      return sessions.some(({ harness, activity }) => harness === wanted && activity === "idle");
    },
  };
}

async function holdStick(holder: TalkingStick, tree: string): Promise<void> {
  const { roomId } = granted(await holder.joinPath({ contextPath: tree }));
  const turn = granted(await holder.waitForTurn({ roomId, maxWaitMs: 0 }));
  if (turn.status !== "your_turn") throw new Error(`the stick could not be taken: ${turn.status}`);
}

function granted<Answer>(answer: Answer | Refusal): Answer {
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}
