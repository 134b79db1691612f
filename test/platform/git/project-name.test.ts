import { expect, test } from "vitest";
import { normalizedRemote } from "../../../src/platform/git/project-name.ts";

test.each([
  "https://example.org/team/app.git",
  "https://example.org/team/app",
  "https://example.org/team/app/",
  "https://EXAMPLE.org:443/team/app.git/",
  "https://user:se@cret@example.org/team/app.git",
  "ssh://git@example.org:2222/team/app.git",
  "git+ssh://git@example.org/team/app",
  "git://example.org/team/app.git",
  "git@example.org:team/app.git",
  "example.org:team/app",
  "git@example.org:/team/app.git",
])("%s is example.org/team/app", (remote) => {
  expect(normalizedRemote(remote)).toBe("example.org/team/app");
});

test.each([
  ["git@example.org:Team/App.git", "example.org/Team/App"],
  ["ssh://git@[::1]:22/app.git", "[::1]/app"],
  ["git@[::1]:app.git", "[::1]/app"],
])("the remote %s is %s", (remote, name) => {
  expect(normalizedRemote(remote)).toBe(name);
});

test.each([
  "",
  "/srv/app.git",
  "../app",
  "./a:b",
  "file:///srv/app.git",
  "file://host/srv/app.git",
  "https://example.org/",
  "app",
])("%j names nothing for another machine", (remote) => {
  expect(normalizedRemote(remote)).toBeNull();
});
