/** Who am I: whoami, name, claim. */
import { isRefusal } from "../../../core/refusal.ts";
import type { Deps } from "../../../engine/deps.ts";
import { nameMyself } from "../../../room/name-myself.ts";
import { claimChecks } from "../../../session/claim-checks.ts";
import { type Claimed, claimSession, forgetClaim } from "../../../session/claim-session.ts";
import { getMySession, type MySession } from "../../../session/get-my-session.ts";
import type { Identification, Identity, StrategyOutcome } from "../../../session/rules/identity.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { form } from "../form.ts";
import { missingRoom } from "../room-of.ts";
import { KNOWN_BY } from "../text/identity-source-labels.ts";
import { field, wrap } from "../text/wrap.ts";
import { UsageError } from "../usage-error.ts";

export const whoami: Command = {
  name: "whoami",
  summary: "who you are here, and with --explain by which evidence",
  example: "tt whoami --explain",
  flags: { explain: { kind: "boolean", help: "what every kind of evidence said" } },
  async run(context, args) {
    const deps = await context.deps();
    if (isRefusal(deps)) return context.refuse(deps);
    const missing = await missingRoom(context);
    if (missing) return context.refuse(missing);
    const identification = await context.identification();
    if (isRefusal(identification)) return context.refuse(identification);
    const explain = args.isSet("explain");
    const answer = await getMySession(deps, identification, {
      contextPath: context.path,
      roomId: args.text("room"),
      explain,
    });
    if (isRefusal(answer)) {
      if (explain && !(await context.wantsJson()))
        await context.ports.writeOut(strategyText(context, identification.strategies));
      return context.refuse(answer);
    }
    await context.answer(answer, (shown) => sessionText(context, shown));
    return EXIT.done;
  },
};

function sessionText(context: CliContext, session: MySession): string {
  const { columns } = context;
  const proof = session.verified ? "" : ", provisional until its session is known";
  const lines = [
    wrap(`You are ${session.agentId}${session.handle === null ? "" : `, called ${session.handle}`}.`, columns),
    field("known by", `${KNOWN_BY[session.idSource]}${proof}`, columns, ""),
    field("session", session.sessionId ?? "none", columns, ""),
    field("room", session.roomId ?? `none here; join with: ${context.tt} join`, columns, ""),
    ...(session.next === undefined ? [] : [field("next", context.wordsOf(session.next), columns, "")]),
  ];
  if (session.strategies) lines.push("", strategyText(context, session.strategies).trimEnd());
  return lines.join("\n");
}

function strategyText({ paint, columns }: CliContext, strategies: readonly StrategyOutcome[]): string {
  const indent = " ".repeat(25);
  return strategies
    .map(({ name, outcome, reason }) => {
      const mark = outcome === "hit" ? paint.green("hit    ") : paint.dim("abstain");
      return `${mark} ${name.padEnd(16)} ${wrap(reason, columns, indent)}\n`;
    })
    .join("");
}

export const name = form({
  words: "name",
  of: nameMyself,
  summary: "choose the handle the others call you by",
  example: "tt name parser-expert",
  positionals: [{ name: "handle", field: "handle", required: true }],
  text: ({ handle }) => `You are called ${handle} now.`,
});

export const claim: Command = {
  name: "claim",
  roomless: true,
  summary: "say which session this process belongs to, where nothing else tells",
  details: [
    "It cannot contradict what the harness itself says. Once made it stays, whatever the harness says later, until",
    "another claim, --forget, or a hook that tells of another session in the same process.",
  ],
  example: "tt claim 3f1c9a52-7d1e-4a6b-9a55-0c2f6f1f2a11",
  positionals: [{ name: "session-id" }],
  flags: {
    harness: {
      kind: "text",
      value: "NAME",
      help: "whose session it is, in a terminal without a harness, if nobody knows it yet",
    },
    forget: { kind: "boolean", help: "take back what was claimed here" },
  },
  async run(context, args) {
    const sessionId = args.positional("session-id");
    if (args.isSet("forget") === (sessionId !== undefined))
      throw new UsageError("tt claim needs a <session-id>, or --forget alone.", "See an example with: tt claim --help");
    const deps = await context.deps("change");
    if (isRefusal(deps)) return context.refuse(deps);
    const identification = await context.identification();
    if (isRefusal(identification)) return context.refuse(identification);
    if (sessionId === undefined) return takeBack(context, deps, identification);
    const claimDeps = { ...context.ports.claimDeps(), ...claimChecks(deps, context.path) };
    const claimed = await claimSession(claimDeps, identification, { sessionId, harness: args.text("harness") });
    if (isRefusal(claimed)) return context.refuse(claimed);
    await context.answer(claimed, () => claimedText(context, claimed, identification.told));
    return EXIT.done;
  },
};

function claimedText({ columns }: CliContext, { agentId, sessionId }: Claimed, told: Identity | null): string {
  if (told?.sessionId === sessionId)
    return wrap(`You are ${agentId}, session ${sessionId}, as ${told.harness} itself says.`, columns);
  return `${wrap(`This is session ${sessionId} from now on; you are ${agentId}.`, columns)}\nTake it back with: tt claim --forget`;
}

/** Says also who the caller is without the claim; null when nothing else tells. */
async function takeBack(context: CliContext, deps: Deps, before: Identification): Promise<number> {
  const { forgotten } = forgetClaim(context.ports.claimDeps(), before);
  const { identity } = await context.ports.identify(context.args.text("agent"), deps);
  const agentId = isRefusal(identity) ? null : identity.agentId;
  await context.answer({ forgotten, agentId }, () => {
    const now = agentId === null ? "" : ` You are ${agentId}.`;
    return forgotten ? `Forgotten.${now}` : `Nothing was claimed here.${now}`;
  });
  return EXIT.done;
}
