/**
 * A harness that nobody has, as docs/adding-a-harness.md adds one. It is a shell by the name of `newcomer`, which names
 * its session in the environment and writes the payloads that most harnesses write. A test copies this folder to
 * src/harness and adds the line to the registry.
 */

import { firstSessionId } from "../../../src/core/harness.ts";
import { jsonText } from "../../../src/core/visible.ts";
import type { Harness } from "../../../src/harness/contract.ts";
import { commonCall } from "../../../src/harness/hook-dialect.ts";
import { ALL_MARKS, hookEntries, SERVER_NAME, serverEntry, USUAL_EVENTS } from "../../../src/harness/own-files.ts";
import { textIn } from "../../../src/harness/records.ts";
import { readJsonLines } from "../../../src/harness/transcript.ts";
import { programOf } from "../../../src/session/rules/program.ts";

const SESSION_VARIABLE = "NEWCOMER_SESSION_ID";

export const newcomer: Harness = {
  name: "newcomer",
  title: "Newcomer",
  markedBy: ["NEWCOMER"],
  sessionNamedBy: [SESSION_VARIABLE],
  markIn: (env) => (env["NEWCOMER"] ? { sessionId: firstSessionId(env[SESSION_VARIABLE]), pid: null } : null),
  roleOf: (process) => (programOf(process).names.includes("newcomer") ? "session" : null),
  mcpClient: "newcomer",
  mcpWaitMs: 50_000,
  hooks: {
    attemptIn: () => null,
    renderDenial: () => "",
    sessionVariable: { name: SESSION_VARIABLE },
    parse: (event, payload) => commonCall("newcomer", event, payload, 10_000),
    render: (_, { context = "", goOn = "" }) => (context + goOn === "" ? "" : jsonText({ context: context + goOn })),
  },
  setup: {
    program: "newcomer",
    directory: ({ home }) => `${home}/.newcomer`,
    leadTo: () => ({}),
    files: (pins, { home }) => [
      {
        kind: "config",
        path: `${home}/.newcomer/settings.json`,
        entries: [
          { kind: "property", path: ["mcpServers", SERVER_NAME], value: serverEntry(pins) },
          ...hookEntries("newcomer", USUAL_EVENTS, pins),
        ],
        marks: ALL_MARKS,
      },
    ],
    skills: ({ home }) => `${home}/.newcomer/skills`,
    notes: () => [],
  },
  transcript: {
    find: ({ sessionId, home }) => `${home}/.newcomer/sessions/${sessionId}.jsonl`,
    read: readJsonLines(({ text }) => ({ turns: [{ role: "assistant", text: textIn(text) ?? "", at: null }] })),
  },
};
