/** The page's style: light and dark, no fonts or pictures from elsewhere. */
export const STYLE = `
:root { color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --line: #d9dee5; --grid: #e7eaef; --text: #49525e; --ink: #14181d;
  --good: #0b7a53; --bad: #c2261c; --warn: #8a5a00; --warn-page: #fff6e0;
  --blue: #1f6feb; --teal: #0d9276; --violet: #8250df; --orange: #d9730d; --red: #cf222e;
  --pink: #d6409f; --brown: #8d6748; --grey: #8b949e; }
@media (prefers-color-scheme: dark) { :root {
  --page: #0f1216; --card: #171b21; --line: #2c333c; --grid: #262c34; --text: #a3adb8; --ink: #edf1f5;
  --good: #3fb98a; --bad: #ff6b60; --warn: #e3b341; --warn-page: #2a2313;
  --blue: #58a6ff; --teal: #3fb9a0; --violet: #b794ff; --orange: #f0a04b; --red: #ff6b60;
  --pink: #f083c8; --brown: #c09a78; --grey: #8b949e; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px; max-width: 1180px; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; overflow-wrap: anywhere; } h2 { font-size: 17px; margin: 0 0 8px; }
p { margin: 0 0 8px; } .quiet, figcaption { color: var(--text); font-size: 14px; overflow-wrap: anywhere; }
section, figure { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: 16px; margin: 16px 0 0; }
.tiles, .charts { display: grid; gap: 16px; margin-top: 16px; }
.tiles { grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); }
.charts { grid-template-columns: repeat(auto-fit, minmax(min(480px, 100%), 1fr)); }
.charts figure { margin: 0; min-width: 0; }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px; }
.tiles b { display: block; font-size: 24px; font-weight: 600; font-variant-numeric: tabular-nums; }
.tiles b small { font-size: 14px; font-weight: 400; color: var(--text); }
.warnings { background: var(--warn-page); border-color: var(--warn); } .warnings h2 { color: var(--warn); }
.warnings ul { margin: 0; padding-left: 20px; }
.good { color: var(--good); } .bad { color: var(--bad); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 5px 12px 5px 0; border-top: 1px solid var(--line); vertical-align: top;
  overflow-wrap: anywhere; }
thead th { border-top: 0; color: var(--text); font-weight: 500; font-size: 14px; white-space: nowrap; }
tbody th { font-weight: 500; white-space: nowrap; } .number { text-align: right; white-space: nowrap; }
.facts th { width: 150px; color: var(--text); }
.uplot { max-width: 100%; } .u-legend { font-size: 13px; color: var(--text); }
.u-legend th, .u-legend td { border-top: 0; padding: 2px 4px; }
@media print { body { background: #fff; } section, figure { break-inside: avoid; } }
`
