/**
 * Pages of others in the browser that has the page open: a site whose name is made to lead to this machine, and sites on
 * another port or under another name. Even with the secret they get nothing and do nothing.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { expect, inject, onTestFinished } from "vitest";
import { PageClient } from "../support/page-client.ts";
import { inBrowser } from "./support/browser.ts";
import { launchChromium } from "./support/chromium.ts";
import { type PageServer, PageWorld } from "./support/page-world.ts";

/** A browser in which evil.test is this machine, as an attacker's name server can tell it. */
async function misled(): Promise<Browser> {
  const { browser, end } = await launchChromium(inject("chromium") ?? "", [
    "--host-resolver-rules=MAP evil.test 127.0.0.1",
  ]);
  onTestFinished(end);
  return browser;
}

interface OtherSite {
  readonly port: number;
  readonly end: () => Promise<unknown>;
}

/** A site that answers everything with an empty page. */
async function otherSite(): Promise<OtherSite> {
  const site = createServer((_, response) =>
    response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>other</title>"),
  );
  const end = () => {
    const over = new Promise((resolve) => site.close(resolve));
    site.closeAllConnections();
    return over;
  };
  onTestFinished(() => void end());
  await new Promise<void>((resolve) => site.listen({ host: "127.0.0.1", port: 0 }, resolve));
  return { port: (site.address() as AddressInfo).port, end };
}

interface Scene {
  readonly world: PageWorld;
  readonly server: PageServer;
  readonly client: PageClient;
  readonly log: () => Promise<string>;
}

async function served(words = ""): Promise<Scene> {
  const world = await PageWorld.with("claude:1");
  const server = await world.ui({ words });
  const log = async () => (await world.done("events --json --limit 500")).stdout;
  return { world, server, client: new PageClient(server.address), log };
}

/** What a script of that page is told when it fetches: the status and the text, or why there is none. */
async function fetched(page: Page, address: string, options: object = {}): Promise<string> {
  return page.evaluate<string>(`(async () => {
    try {
      const answer = await fetch(${JSON.stringify(address)}, ${JSON.stringify(options)});
      return answer.status + " " + (await answer.text());
    } catch (error) {
      return String(error).startsWith("TypeError") ? "blocked" : String(error);
    }
  })()`);
}

/** Calls as the page makes them, and as plain forms do. */
const waysToCall = (secret: string) => [
  { method: "POST", body: "{}", headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" } },
  { method: "POST", body: "{}", headers: { Authorization: `Bearer ${secret}`, "Content-Type": "text/plain" } },
  { method: "POST", body: "{}", headers: { "Content-Type": "text/plain" } },
  { method: "POST", body: "{}", credentials: "include" },
];

inBrowser("a name that is made to lead here gets neither the page, nor an operation, nor a stream", async () => {
  const site = await otherSite();
  const page = await (await misled()).newPage();
  const origin = `http://evil.test:${site.port}`;
  // The attacker's page is loaded from the attacker, and then its name and port lead to the server of the page.
  await page.goto(`${origin}/`);
  await site.end();
  const { client, log } = await served(`--port ${site.port}`);
  const before = await log();
  for (const path of ["/", "/page.js", "/page.css"]) expect([path, await fetched(page, path)]).toEqual([path, "403 "]);
  for (const path of ["/api/list_rooms", "/api/pause_room", "/api/stream"])
    for (const way of waysToCall(client.secret)) expect([path, await fetched(page, path, way)]).toEqual([path, "403 "]);
  const answered = page.waitForResponse(`${origin}/`);
  // Chromium shows an error of its own in place of an empty page.
  await page.goto(`${origin}/`).catch(() => null);
  expect((await answered).status()).toBe(403);
  expect(await log()).toBe(before);
});

inBrowser("a page of another port or another site can call nothing, even with the secret", async () => {
  const { client, log } = await served();
  const { port } = await otherSite();
  const browser = await misled();
  const before = await log();
  for (const site of [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `http://evil.test:${port}`]) {
    const page = await browser.newPage();
    await page.goto(`${site}/`);
    for (const host of ["127.0.0.1", "localhost"]) {
      const origin = `http://${host}:${client.port}`;
      for (const path of ["/api/list_rooms", "/api/pause_room", "/api/stream", "/page.js"])
        for (const way of waysToCall(client.secret))
          expect([site, path, await fetched(page, `${origin}${path}`, way)]).toEqual([site, path, "blocked"]);
      // Sent, but nothing can be read of it.
      const unread = await fetched(page, `${origin}/api/pause_room`, { method: "POST", mode: "no-cors", body: "{}" });
      expect([site, unread]).toEqual([site, "blocked"]);
    }
    await page.close();
  }
  expect(await log()).toBe(before);
  expect(await client.call("list_rooms")).toMatchObject({ status: 200 });
});

inBrowser("a form of another site changes nothing", async () => {
  const { client, log } = await served();
  const { port } = await otherSite();
  const browser = await misled();
  const before = await log();
  for (const site of [`http://127.0.0.1:${port}`, `http://evil.test:${port}`])
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      const page = await browser.newPage();
      await page.goto(`${site}/`);
      const answered = page.waitForResponse((response) => response.url().includes("/api/"));
      await page.evaluate(`(() => {
        const form = document.createElement("form");
        Object.assign(form, { method: "POST", enctype: "${type}", action: "${client.origin}/api/pause_room" });
        const field = document.createElement("input");
        Object.assign(field, { name: '{"reason":"', value: '"}' });
        form.append(field);
        document.body.append(form);
        form.submit();
      })()`);
      expect([site, type, (await answered).status()]).toEqual([site, type, 403]);
      await page.close();
    }
  expect(await log()).toBe(before);
});

inBrowser("another site can neither embed the page, nor load its parts, nor keep hold of its window", async () => {
  const { client } = await served();
  const { port } = await otherSite();
  const page = await (await misled()).newPage();
  await page.goto(`http://evil.test:${port}/`);
  const loaded = (tag: string, name: string, path: string) =>
    page.evaluate<string>(`new Promise((resolve) => {
      const element = document.createElement("${tag}");
      element.onload = () => resolve("loaded");
      element.onerror = () => resolve("failed");
      element["${name}"] = "${client.origin}${path}";
      if ("${tag}" === "link") element.rel = "stylesheet";
      document.body.append(element);
    })`);
  expect(await loaded("script", "src", "/page.js")).toBe("failed");
  expect(await loaded("img", "src", "/icon.svg")).toBe("failed");
  expect(await loaded("link", "href", "/page.css")).toBe("failed");
  // A frame that was refused has loaded a page of the browser's own.
  await loaded("iframe", "src", "/");
  expect(page.frames().map((frame) => frame.url())).not.toContain(`${client.origin}/`);
  const opened = page.context().waitForEvent("page");
  await page.evaluate(`(() => { window.other = window.open("${client.origin}/"); })()`);
  const window = await opened;
  await window.waitForLoadState();
  expect(await window.evaluate("window.opener")).toBeNull();
  await expect.poll(() => page.evaluate("window.other.closed")).toBe(true);
  expect(await window.locator("body").innerText()).not.toContain(client.secret);
});

inBrowser("the page itself works, and keeps its secret out of the address, of cookies and of other ports", async () => {
  const { server, client } = await served();
  const { port } = await otherSite();
  const context = await (await misled()).newContext();
  const page = await context.newPage();
  const heard: string[] = [];
  page.on("request", (request) => void heard.push(request.url()));
  await page.goto(server.address);
  await page.getByRole("tab").first().waitFor();
  expect(page.url()).not.toContain(client.secret);
  expect(heard.filter((address) => address.includes(client.secret) && !address.includes("#secret="))).toEqual([]);
  expect(await context.cookies()).toEqual([]);
  expect(await page.evaluate("JSON.stringify(localStorage)")).toBe("{}");
  const other = await context.newPage();
  await other.goto(`http://127.0.0.1:${port}/`);
  expect(await other.evaluate("JSON.stringify([sessionStorage, localStorage, document.cookie])")).not.toContain(
    client.secret,
  );
});
