/** The page of the console. Everything it shows is set as text, never as markup. */
export const CONSOLE_PAGE: string = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Caisson approvals</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
article{border:1px solid #c9ced6;border-radius:8px;padding:1rem;margin:1rem 0}
pre{background:#f4f5f7;border-left:4px solid #8a94a6;padding:.5rem;overflow:auto;white-space:pre-wrap;word-break:break-word}
button{font:inherit;padding:.4rem .9rem;margin-right:.5rem}
@media (prefers-color-scheme:dark){body{color:#e6e8eb;background:#15181c}pre{background:#20242a}article{border-color:#3a414b}}
</style></head><body>
<h1>Approvals</h1><p id="state">Nothing is asked.</p><main id="asks"></main>
<script>
const token = new URLSearchParams(location.search).get('token')
const asks = document.getElementById('asks')
const state = document.getElementById('state')
const add = (to, tag, text) => { const e = document.createElement(tag); e.textContent = text; to.append(e); return e }
const send = async (ask, decision, scope) => {
  await fetch('/asks/' + ask.question.askId, { method: 'POST', headers: { 'x-caisson-token': token }, body: JSON.stringify({ nonce: ask.nonce, decision, scope }) })
}
const draw = (list) => {
  asks.replaceChildren()
  state.textContent = list.length === 0 ? 'Nothing is asked.' : list.length + ' open'
  for (const ask of list) {
    const q = ask.question, box = document.createElement('article')
    add(box, 'h2', q.tool + (q.risk ? ' (risk ' + q.risk + (q.locked ? ', locked' : '') + ')' : ''))
    add(box, 'p', 'Agent ' + q.agent + (ask.leftMs === undefined ? '' : ', decided in ' + Math.ceil(ask.leftMs / 1000) + ' s: ' + q.onTimeout))
    add(box, 'pre', q.arguments + (q.shortened ? '\\n(shortened)' : ''))
    for (const r of q.reasons) add(box, 'p', r.text + ' [' + r.code + ']')
    if (q.suggestion) add(box, 'p', 'Suggestion: ' + q.suggestion)
    add(box, 'button', 'Allow once').onclick = () => { if (!q.locked || prompt('Type allow') === 'allow') send(ask, 'allow') }
    if (q.sessionScope) add(box, 'button', 'Allow this call for the session').onclick = () => send(ask, 'allow', 'session')
    add(box, 'button', 'Refuse').onclick = () => send(ask, 'reject')
    asks.append(box)
  }
}
new EventSource('/asks?token=' + encodeURIComponent(token)).onmessage = (event) => draw(JSON.parse(event.data))
</script></body></html>
`
