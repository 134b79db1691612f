/** OpenCode's server holds sessions open, so that our plugin can wake them. It is spoken to over HTTP. */
import { openaiChat } from "../../prove/rules/wires/openai-chat.ts";
import type { ProofDriver } from "../proof-driver.ts";

const DIRECTORY = ".config/opencode";
/** Beside a plugin it fetches this library for plugins. Ours needs none, so it seems to be installed already. */
const LIBRARY = { dependencies: { "@opencode-ai/plugin": "*" } };

export const prove: ProofDriver = {
  wire: openaiChat,
  files: ({ modelUrl }) => ({
    [`${DIRECTORY}/opencode.json`]: JSON.stringify({
      autoupdate: false,
      share: "disabled",
      model: "scripted/scripted",
      small_model: "scripted/scripted",
      enabled_providers: ["scripted"],
      provider: { scripted: providerAt(modelUrl) },
    }),
    [`${DIRECTORY}/package.json`]: JSON.stringify(LIBRARY),
    [`${DIRECTORY}/package-lock.json`]: JSON.stringify({ lockfileVersion: 3, packages: { "": LIBRARY } }),
    [`${DIRECTORY}/node_modules/.keep`]: "",
  }),
  edit: (path) => ({ tool: "write", input: { filePath: path, content: "written" } }),
  shell: (command) => ({ tool: "bash", input: { command, description: "write a file" } }),
  async start(_, start) {
    const server = start(["serve", "--hostname", "127.0.0.1", "--port", "0"], {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    });
    const url = await server.until((line) => /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]);
    const { id } = (await post(`${url}/session`, {})) as { readonly id: string };
    return {
      async prompt(text) {
        await post(`${url}/session/${id}/message`, { parts: [{ type: "text", text }] });
      },
    };
  },
};

function providerAt(modelUrl: string) {
  return {
    npm: "@ai-sdk/openai-compatible",
    name: "Scripted",
    options: { baseURL: `${modelUrl}/v1`, apiKey: "scripted" },
    models: { scripted: { name: "Scripted", tool_call: true, limit: { context: 100_000, output: 4000 } } },
  };
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`its server answered ${response.status}: ${await response.text()}`);
  return response.json();
}
