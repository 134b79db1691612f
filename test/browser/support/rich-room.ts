/** A room in which much has happened, by real processes: turns with changes, talk, questions, notes, and a stick that moves. */
import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { changePolicy } from "../../cli/support/cli-world.ts";
import { writerIn } from "../../cli/support/writer.ts";
import { accepted } from "../../support/service-world.ts";
import type { PageWorld } from "./page-world.ts";

const CLAUDE = { as: "claude:1" };
const CODEX = { as: "codex:1" };
const GEMINI = { as: "gemini:1" };

/** A text that wants to be more than a text. */
export const HOSTILE =
  "<img src=x onerror=alert(1)><script>alert(2)</script> \u202Egnp.exe\u202C \u001b[31m&amp; <b>bold</b>";

/**
 * claude:1, codex:1 and gemini:1 have worked. In the end codex holds the stick, gemini waits for it, claude asks the person,
 * and the person has mail and a dead letter.
 */
export async function richRoom(world: PageWorld): Promise<void> {
  for (const as of ["claude:1", "codex:1", "gemini:1"]) await world.done("join", { as });
  await turns(world);
  await talk(world);
  await deadLetter(world);
  await world.done("try", CODEX);
  writeFileSync(join(world.tree, "rules.ts"), "export const rules = [];\n");
  world.start("wait --timeout 1h --no-wake-on-message", GEMINI);
  world.start(["ask", "human", "May I delete the old file?", "--timeout", "5m"], CLAUDE);
  await world.untilWaiting("gemini:1");
  // It changes each view: none may be looked at before.
  await world.until("log --json", ({ stdout }) => stdout.includes("May I delete the old file?"), CODEX);
  await world.done(["msg", "send", "human", "I take the lexer next."], CODEX);
}

async function turns(world: PageWorld): Promise<void> {
  await world.done(["card", "rewrites the parser", "--file", "src/parser.ts"], CLAUDE);
  await world.done("try", CLAUDE);
  writeFileSync(join(world.tree, "parser.ts"), "export const rule = 1;\n".repeat(40));
  appendFileSync(join(world.tree, "first.txt"), "two\n");
  await world.done("check -- true", CLAUDE);
  const more = [
    "--artifact",
    "parser.ts:1-9:review",
    "--question",
    "Should rule 12 stay?",
    "--do-not",
    "rename parse()",
  ];
  await world.done(
    ["release", "--status", "The parser is done.", "--next-action", "Write the tests.", ...more],
    CLAUDE,
  );
  await world.done("try", CODEX);
  rmSync(join(world.tree, "first.txt"));
  await world.tt(["check", "--", "sh", "-c", "exit 1"], CODEX);
  await world.person("take --yes --reason wrong-way");
  await world.person("give gemini:1 --yes --reason tests");
  await world.done("try", GEMINI);
  await world.person("pause --reason lunch");
  await world.done(["release", "--status", "All tests hold.", "--next-action", "Review it."], GEMINI);
  await world.person("resume");
}

async function talk(world: PageWorld): Promise<void> {
  await world.done(["msg", "send", "codex", "The parser is yours."], CLAUDE);
  await world.done("msg recv", CODEX);
  await world.done(["msg", "send", "room", "Everybody: the lexer has a new name."], CODEX);
  await world.done(["msg", "send", "claude", HOSTILE], GEMINI);
  await world.done(["card", HOSTILE], GEMINI);
  await world.done(["notes", "add", HOSTILE], GEMINI);
  await world.done(["notes", "add", "fixture 7 is wrong on purpose"], CLAUDE);
}

/** codex gives back what claude sends it, in a room where nothing is delivered twice. */
async function deadLetter(world: PageWorld): Promise<void> {
  await changePolicy(world, "max_retries=0");
  const { stick } = await writerIn(world, "worker:1");
  const sent = await world.done(["msg", "send", "worker:1", "Please run the migration.", "--json"], CLAUDE);
  accepted(await stick.takeMessages({ ack: "manual" }));
  const messageId = String(sent.json()["message_id"]);
  accepted(await stick.nackMessage({ messageId, attempt: 1, reason: "no disk space" }));
}
