/** tt doctor --prove: runs the installed harnesses against a scripted model, and says what holds in them. */
import { Fault } from "../../../../core/fault.ts";
import type { Finding } from "../../../../core/finding.ts";
import { isRefusal, type Refusal, refuse } from "../../../../core/refusal.ts";
import { HARNESSES } from "../../../../harness/harnesses.ts";
import { CHECKS, type CheckResult } from "../../../../prove/rules/checks.ts";
import { outcomeWords, protectionWords, type TriedHarness } from "../../../../prove/rules/protection.ts";
import { wrap } from "../../../words/wrap.ts";
import type { CliContext } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";
import { granted } from "../../granted.ts";
import { UsageError } from "../../usage-error.ts";

/** A loaded machine needs half a minute for the slowest harness. */
const LIMIT_MS = 90_000;

export async function runProofs(context: CliContext, names: readonly string[]): Promise<number> {
  const known = HARNESSES.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`There is no harness ${JSON.stringify(unknown)}.`, `Name ${known.join(", ")}.`);
  }
  const { ports, args } = context;
  const { interrupted } = ports;
  const harnesses = granted(
    await ports.prove({
      names: [...new Set(names)],
      limitMs: args.number("timeout") ?? LIMIT_MS,
      interrupted,
      // Progress that cannot be shown is no reason to fail.
      onProgress: (title, text) => void ports.writeError(`${title}: ${text}\n`).catch(() => undefined),
    }),
  );
  if (interrupted.aborted) return EXIT.interrupted;
  const tried = harnesses.filter(({ proof }) => proof !== null || names.length > 0);
  const warnings = await ownSwitches(context, tried);
  await context.answer({ harnesses: tried.map(answerOf), warnings }, () => reportText(context, tried, warnings));
  // What ran has told its progress, and the report says what does not hold.
  if (tried.some(({ proof }) => proof !== null)) return tried.every(isProven) ? EXIT.done : EXIT.refused;
  return context.refuse(nothingRan(tried));
}

function nothingRan(tried: readonly TriedHarness[]): Refusal {
  const titles = HARNESSES.map(({ title }) => title);
  const next =
    tried.length === 0
      ? `Install ${titles.slice(0, -1).join(", ")} or ${titles.at(-1)} first.`
      : "The report says why. Mend that, or name a harness that is on this machine.";
  return refuse("invalid_path", "Nothing is proven, because no harness was run.", next, {
    harnesses: tried.map(({ harness }) => harness),
  });
}

/** What the user's own files say: the proof runs without them. */
async function ownSwitches(context: CliContext, tried: readonly TriedHarness[]): Promise<readonly Finding[]> {
  const isTried = (finding: Finding) => tried.some(({ harness }) => harness === finding.name);
  try {
    const installer = await context.ports.installer("read");
    if (isRefusal(installer)) return [];
    return installer.inspect().filter((finding) => finding.level !== "ok" && isTried(finding));
  } catch (error) {
    // Settings that cannot be read are told by tt doctor.
    if (error instanceof Fault) return [];
    throw error;
  }
}

function isProven({ proof }: TriedHarness): boolean {
  return proof?.checks.every(({ outcome }) => outcome !== "not_proven") === true;
}

/** The mark of the program is for us alone. */
function answerOf({ harness, proof, protection, reason }: TriedHarness) {
  if (!proof) return { harness, reason };
  const { version, ttVersion, provenAt, isolated, checks } = proof;
  return { harness, version, ttVersion, provenAt, isolated, protection, checks };
}

function reportText(context: CliContext, tried: readonly TriedHarness[], warnings: readonly Finding[]): string {
  if (tried.length === 0) return "There is no harness on the path.";
  const { columns, paint } = context;
  const parts = tried.map((one) => harnessText(context, one));
  const told = warnings.map(({ text, next }) =>
    wrap(`${paint.yellow("warning")} ${text}${next === undefined ? "" : `; next: ${next}`}`, columns, "        "),
  );
  return [...parts, ...told].join("\n");
}

function harnessText({ columns, paint }: CliContext, { title, proof, protection, reason }: TriedHarness): string {
  if (!proof || !protection) return wrap(`${title}: not run. ${reason ?? ""}`, columns, "  ");
  const network = proof.isolated ? "" : ", not cut off from the network";
  const head = `${paint.bold(title)} ${proof.version}: ${protectionWords(protection)}${network}`;
  return [wrap(head, columns, "  "), ...proof.checks.map((result) => checkLine(result, columns))].join("\n");
}

function checkLine(result: CheckResult, columns: number): string {
  const title = CHECKS.find(({ name }) => name === result.check)?.title ?? result.check;
  return `  ${title.padEnd(TITLE_WIDTH)} ${wrap(outcomeWords(result), columns, " ".repeat(TITLE_WIDTH + 3))}`;
}

const TITLE_WIDTH = Math.max(...CHECKS.map(({ title }) => title.length));
