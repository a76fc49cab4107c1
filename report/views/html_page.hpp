#pragma once

#include <cstddef>
#include <string_view>

/// The fixed parts of the HTML report, except the blocks of text/html_blocks.hpp.
namespace scattergate::report {

/// The number of bytes of max_html_bytes that must be left before a row is added to a page's
/// main table: enough for the row, and for what follows the table.
inline constexpr std::size_t room_for_end = 40'000;

/// The longest command or namespace in a cell of a page's table, in bytes.
inline constexpr std::size_t most_of_name = 300;
/// The longest text of a shape (a command without its values) in a cell of a page's table, in
/// bytes.
inline constexpr std::size_t most_of_shape = 400;

/// The title of a report's page.
inline constexpr std::string_view html_title = "What scatters";

/// The HTML between a page's title and its content: the style and the start of the body.
inline constexpr std::string_view html_style =
    R"html(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<style>
:root{color-scheme:light dark;--ink:#1b1f24;--dim:#57606a;--paper:#fff;--line:#d0d7de;--soft:#f6f8fa;
--scatter_gather:#b42318;--multi_shard:#b25e00;--single_shard:#1a7f37;--unsharded:#57606a;--unknown:#6e40c9;--not_routed:#8c959f;--link:#0550ae}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9da7b1;--paper:#0d1117;--line:#30363d;--soft:#161b22;
--scatter_gather:#ff7b72;--multi_shard:#f0a35e;--single_shard:#56d364;--unsharded:#9da7b1;--unknown:#bc8cff;--not_routed:#8b949e;--link:#79c0ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:75rem;padding:1.5rem;font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:1.6rem;margin:0 0 .3rem}h2{font-size:1.15rem;margin:2rem 0 .6rem}h3{font-size:1rem;margin:0}
p{margin:.3rem 0}.dim{color:var(--dim)}
.tiles{display:flex;flex-wrap:wrap;gap:.8rem;margin:1rem 0}
.tile{border:1px solid var(--line);border-radius:.5rem;padding:.6rem 1rem;min-width:9rem;background:var(--soft)}
.tile b{display:block;font-size:1.4rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{padding:.35rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th.n,td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
th button{all:unset;cursor:pointer;font-weight:600}th button:focus-visible{outline:2px solid var(--link)}
th[aria-sort=descending] button::after{content:" \2193"}th[aria-sort=ascending] button::after{content:" \2191"}
code,pre{font:13px/1.45 ui-monospace,monospace}
td code{overflow-wrap:anywhere}
pre{background:var(--soft);border:1px solid var(--line);border-radius:.4rem;padding:.6rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;margin:.4rem 0}
.legend{display:inline-block;margin-right:1rem;font-size:.9rem}
.legend::before{content:"";display:inline-block;width:.7rem;height:.7rem;margin-right:.35rem;background:currentColor}
.k,.legend{font-weight:600}
.scatter_gather{color:var(--scatter_gather)}.multi_shard{color:var(--multi_shard)}.single_shard{color:var(--single_shard)}
.unsharded{color:var(--unsharded)}.unknown{color:var(--unknown)}.not_routed{color:var(--not_routed)}
article{border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem;margin:.8rem 0;break-inside:avoid}
article:target{outline:2px solid var(--link)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
a{color:var(--link)}svg text{fill:var(--ink);font:12px system-ui,sans-serif}
@media print{body{max-width:none;padding:0}.scroll{overflow:visible}a{color:inherit;text-decoration:none}}
</style></head><body><main>
)html";

/// The HTML after a page's content, with the script that sorts tables.
inline constexpr std::string_view html_foot = R"html(</main>
<script>
for(const head of document.querySelectorAll('th[data-sort]')){
  const name=head.textContent,button=document.createElement('button');
  button.textContent=name;head.textContent='';head.append(button);
  button.addEventListener('click',()=>{
    const table=head.closest('table'),body=table.tBodies[0],at=head.cellIndex;
    const down=head.getAttribute('aria-sort')!=='descending';
    for(const other of table.querySelectorAll('th'))other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort',down?'descending':'ascending');
    const key=row=>{const cell=row.cells[at];return head.dataset.sort==='n'?Number(cell.dataset.v||-1):cell.textContent};
    const rows=[...body.rows].map(row=>[key(row),row]);
    rows.sort((a,b)=>(a[0]<b[0]?-1:a[0]>b[0]?1:0)*(down?-1:1));
    body.append(...rows.map(pair=>pair[1]));
  });
}
</script></body></html>
)html";

}  // namespace scattergate::report
