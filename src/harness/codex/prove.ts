/**
 * Codex's app server is what its terminals use, too. It is spoken to in lines of JSON-RPC. The queue that wakes an idle
 * thread is read by that server.
 */
import type { Conversation } from "../../platform/process/conversation.ts";
import { openaiResponses } from "../../prove/rules/wires/openai-responses.ts";
import type { ProofDriver } from "../proof-driver.ts";
import { fieldsIn, type JsonFields, objectsIn } from "../records.ts";

/**
 * Its own sandbox does not start in every network of its own, and hooks are called before it in any case. So it is off:
 * the one command that runs is ours.
 *
 * Codex offers its tool for patches to models that it knows, and to this one without a script around it. */
const MODEL = "gpt-5.5";

const configFor = (modelUrl: string, tree: string) => `model = "${MODEL}"
model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
[features]
plugins = false
[analytics]
enabled = false
[projects.${JSON.stringify(tree)}]
trust_level = "trusted"
[model_providers.scripted]
name = "Scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`;

export const prove: ProofDriver = {
  wire: openaiResponses,
  files: ({ modelUrl, tree }) => ({ ".codex/config.toml": configFor(modelUrl, tree) }),
  edit: (path) => ({ tool: "apply_patch", input: `*** Begin Patch\n*** Add File: ${path}\n+written\n*** End Patch\n` }),
  shell: (cmd) => ({ tool: "exec_command", input: { cmd } }),
  async start({ tree }, start) {
    const server = start(["app-server"], { SCRIPTED_KEY: "scripted" });
    await ask(server, "initialize", { clientInfo: { name: "talking-stick", version: "1" } });
    server.send(JSON.stringify({ method: "initialized" }));
    await trustHooks(server, tree);
    const { thread } = await ask(server, "thread/start", { cwd: tree });
    const threadId = String((thread as JsonFields | undefined)?.["id"]);
    return {
      async prompt(text) {
        await ask(server, "turn/start", { threadId, input: [{ type: "text", text }] });
        await server.until((line) => (fieldsIn(line)["method"] === "turn/completed" ? true : undefined));
      },
    };
  },
};

/** What its terminal does when its user trusts the hooks. `untrustedHooks` tells whether the real user has done so. */
async function trustHooks(server: Conversation, tree: string): Promise<void> {
  const { data } = await ask(server, "hooks/list", { cwds: [tree] });
  const hooks = objectsIn(data).flatMap((list) => objectsIn(list["hooks"]));
  const value = Object.fromEntries(hooks.map((hook) => [String(hook["key"]), { trusted_hash: hook["currentHash"] }]));
  await ask(server, "config/value/write", { keyPath: "hooks.state", mergeStrategy: "upsert", value });
}

/** Each method is called once, so its name is as good as a number. */
async function ask(server: Conversation, method: string, params: object): Promise<JsonFields> {
  server.send(JSON.stringify({ id: method, method, params }));
  const { result, error } = await server.until((line) => {
    const answer = fieldsIn(line);
    return answer["id"] === method ? answer : undefined;
  });
  if (error !== undefined) throw new Error(`${method} failed: ${JSON.stringify(error)}`);
  return result as JsonFields;
}
