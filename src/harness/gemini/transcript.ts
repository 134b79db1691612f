/**
 * Gemini CLI writes `tmp/<project>/chats/session-<date>-<first 8 of the session id>.jsonl`. A record with the id of an
 * earlier one replaces it, and `$set` with all messages replaces everything before: that is how a session is resumed.
 */
import { NO_TURNS, type Turn, toolLine } from "../../peers/rules/transcript.ts";
import { readStartOrNull, readTextOrNull } from "../../platform/files/bounded-read.ts";
import { listNames } from "../../platform/files/list-names.ts";
import type { HarnessTranscript } from "../contract.ts";
import { areRelated, fieldsIn, type JsonFields, objectIn, objectsIn, textIn } from "../records.ts";
import { readJsonLines } from "../transcript.ts";
import { geminiHome } from "./identity.ts";

const PROJECTS_BYTES = 1_000_000;
const HEADER_BYTES = 65_536;
/** What it says by itself, or a hook through it, stands before the user's words in the same text. */
const OWN_WORDS = /^\s*<(session_context|hook_context)>(?:[\s\S]*?<\/\1>|[\s\S]*)\s*/;
const WITHOUT_TALK = new Set(["info", "error", "warning"]);

export const transcript: HarnessTranscript = {
  find({ sessionId, cwd, env, home }) {
    const base = `${geminiHome(env, home)}/.gemini`;
    const root = `${base}/tmp`;
    const ending = `-${sessionId.slice(0, 8)}.jsonl`;
    for (const folder of foldersFor(base, root, cwd)) {
      const chats = `${root}/${folder}/chats`;
      const names = listNames(chats).filter((file) => file.startsWith("session-") && file.endsWith(ending));
      const name = names.findLast((file) => isOf(sessionId, `${chats}/${file}`));
      if (name !== undefined) return `${chats}/${name}`;
    }
    return null;
  },
  read: readJsonLines((record) => {
    if ("$set" in record) return setTurns(objectIn(record["$set"]));
    if ("sessionId" in record && "kind" in record) return NO_TURNS;
    const turns = messageTurns(record);
    return turns && { turns };
  }),
};

function setTurns(fields: JsonFields) {
  if (!Array.isArray(fields["messages"])) return NO_TURNS;
  return { turns: objectsIn(fields["messages"]).flatMap((message) => messageTurns(message) ?? []), restarts: true };
}

/** Every turn has a key, even an empty one: it stands for what an older record said. */
function messageTurns(message: JsonFields): readonly Turn[] | null {
  const { id, type, content, timestamp } = message;
  const at = textIn(timestamp);
  const key = textIn(id) ?? `${at}`;
  if (WITHOUT_TALK.has(String(type))) return [];
  if (type !== "user" && type !== "gemini") return null;
  const role = type === "user" ? "user" : "assistant";
  const texts = typeof content === "string" ? [content] : objectsIn(content).flatMap(({ text }) => textIn(text) ?? []);
  const said = texts
    .map((text) => text.replace(OWN_WORDS, ""))
    .filter((text) => text !== "")
    .join("\n");
  const calls = [
    ...objectsIn(message["toolCalls"]),
    ...objectsIn(content).map((part) => objectIn(part["functionCall"])),
  ]
    .filter(({ name }) => typeof name === "string")
    .map((call, index): Turn => ({ role: "tool", text: callLine(call), at, key: `${key} call ${index}` }));
  return [{ role, text: said, at, key }, ...calls];
}

function callLine({ name, args }: JsonFields): string {
  return toolLine(textIn(name) ?? "tool", args);
}

/** Only a part of the id is in the name; the first line of the file, once it is written, has all of it. */
function isOf(sessionId: string, file: string): boolean {
  const [header = ""] = (readStartOrNull(file, HEADER_BYTES) ?? "").split("\n", 1);
  return header === "" || fieldsIn(header)["sessionId"] === sessionId;
}

/** Of the directory, those above it and those below; any, where it is not known which directory has which. */
function foldersFor(base: string, root: string, cwd: string | null): readonly string[] {
  const { projects } = cwd === null ? {} : fieldsIn(readTextOrNull(`${base}/projects.json`, PROJECTS_BYTES));
  if (cwd === null || projects === undefined) return listNames(root);
  const related = Object.entries(objectIn(projects)).filter(([directory]) => areRelated(directory, cwd));
  return related.flatMap(([, folder]) => (/^[^/.][^/]*$/.test(String(folder)) ? [String(folder)] : []));
}
