/** What `caisson init` writes: every key an operator is likely to want, with its default. */
export const CONFIG_TEMPLATE = `{
  // Editors check this file against the schema of the installed version.
  "$schema": "./node_modules/caisson/config.schema.json",

  // Tools to load: module files, package folders, command manifests, or "builtin" for the first-party
  // pack. An entry may be an object: { "source": "tools/x.ts", "profile": "network-read" }.
  "sources": [],

  // MCP servers to wrap, in the usual shape. Each runs in a sandbox under the profile "mcp-server".
  "mcpServers": {},

  // Folders with sandbox profiles of your own, or profiles in place.
  "profiles": [],

  "defaults": {
    // Sandbox profile of sources that name none.
    "profile": "pure",
    // Refuses sources that are not as \`caisson approve\` has seen them.
    // "pin": "approved",
    // Deadline of tools that ask for none, in milliseconds.
    "timeoutMs": 30000
  },

  // Secrets that profiles may name. A tool sees a stand-in; the value goes to these hosts alone.
  // "secrets": { "EXAMPLE_TOKEN": { "env": "EXAMPLE_TOKEN", "hosts": ["https://api.example.com"] } },
  "secrets": {},

  // Who decides about calls that are more than routine.
  "approval": {
    // Places in which reading and writing is routine, besides the workspace and temporary folders.
    "trustedDirs": [],
    // What is asked, denied or left alone by kind of effect:
    // "categories": { "network": "ask", "publish": "deny" },
    "categories": {},
    // "rules": [{ "tools": ["bash"], "match": "^npm test", "decide": "allow", "note": "tests" }],
    "rules": [],
    "denyList": [],
    "allowlist": [],
    "humanOnlyList": [],
    // What an unanswered question comes to: reject, allow-low or allow-medium.
    "timeoutAction": "reject",
    "lowSeconds": 15,
    "mediumSeconds": 30,
    "highSeconds": 60
  },

  // How \`caisson serve\` offers the tools; stdio unless "http" names a port.
  "serve": {
    // "http": "127.0.0.1:7331",
    // Environment variable with the bearer token; a new token is made and printed unless said.
    // "tokenEnv": "CAISSON_TOKEN",
    // Prometheus metrics at /metrics, behind that token.
    // "metrics": true,
    // silent, error, warn, info or debug
    // "logLevel": "info"
  }
}
`
