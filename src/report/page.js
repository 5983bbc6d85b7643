const U={ns:1e-9,us:1e-6,ms:1e-3,s:1,min:60,h:3600,d:86400,KiB:2**10,MiB:2**20,GiB:2**30,TiB:2**40,k:1e3,M:1e6,G:1e9,T:1e12,P:1e15};
const value=t=>{const m=t.replace(/,/g,'').match(/^(-?[\d.]+(?:e[-+]?\d+)?)\s*(\S*)$/);return m?m[1]*(U[m[2]]||1):1/0};
document.querySelectorAll('th').forEach(th=>th.addEventListener('click',()=>{
const i=th.cellIndex,body=th.closest('table').tBodies[0];
const up=th.getAttribute('aria-sort')!='ascending',text=r=>r.cells[i].textContent;
const rows=[...body.rows].sort((a,b)=>{const x=value(text(a)),y=value(text(b)),two=isFinite(x)&&isFinite(y);return (two?x-y:isFinite(y)-isFinite(x)||text(a).localeCompare(text(b)))*(up?1:-1)});
th.parentNode.querySelectorAll('th').forEach(o=>o.removeAttribute('aria-sort'));
th.setAttribute('aria-sort',up?'ascending':'descending');body.append(...rows)}));
