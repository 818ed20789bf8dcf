// Checks what a program can check of PDF/UA-1 (ISO 14289-1): the conditions of the Matterhorn Protocol that concern structure, content, links and metadata.
import { execFileSync } from "node:child_process";

/** The tags that may be inside of others. A tag that is not listed has content only. */
const INSIDE = {
  Document: ["P", "H1", "H2", "H3", "H4", "H5", "H6", "L", "Table", "Figure"],
  L: ["Caption", "LI"],
  LI: ["Lbl", "LBody"],
  LBody: ["L", "Table", "Figure", "H2", "H3", "H4", "H5", "H6"],
  Table: ["Caption", "TR"],
  TR: ["TH", "TD"],
  P: ["Link"],
  Link: ["Figure"],
};
const WITH_CONTENT = new Set(["P", "H1", "H2", "H3", "H4", "H5", "H6", "Caption", "Lbl", "LBody", "TH", "TD", "Link", "Figure"]);
const PAINTS = new Set(["Tj", "TJ", "'", '"', "f", "F", "f*", "B", "B*", "b", "b*", "S", "s", "Do", "sh"]);
const TOKENS = /\((?:\\[\s\S]|[^\\()])*\)|<<|>>|<[\da-fA-F\s]*>|[[\]]|\/[^\s<>[\]()/%]*|[^\s<>[\]()/%]+/g;

/** Returns the tags in reading order, such as `H1`, and the problems. */
export function accessibility(file) {
  const json = execFileSync("qpdf", ["--json=2", "--json-key=qpdf", "--json-stream-data=inline", "--decode-level=generalized", file, "-"], { encoding: "utf8", maxBuffer: 64 << 20 });
  const [, objects] = JSON.parse(json).qpdf;
  const problems = [];
  const check = (holds, problem) => holds || problems.push(problem);
  const get = (value) => {
    const object = typeof value === "string" && /^\d+ \d+ R$/.test(value) ? objects[`obj:${value}`] : undefined;
    return object === undefined ? value : "stream" in object ? object.stream.dict : object.value;
  };
  const bytesOf = (reference) => Buffer.from(objects[`obj:${reference}`].stream.data, "base64");
  const list = (value) => (value === undefined ? [] : Array.isArray(get(value)) ? get(value) : [value]);

  const root = get(objects.trailer.value["/Root"]);
  check(get(root["/MarkInfo"])?.["/Marked"] === true, "the document is not marked as tagged");
  check(/^u:\w\w$/.test(root["/Lang"]), "the document has no language");
  check(get(root["/ViewerPreferences"])?.["/DisplayDocTitle"] === true, "the title is not shown");
  check(get(root["/Outlines"])?.["/Count"] !== 0, "there is no outline");
  const metadata = bytesOf(root["/Metadata"]).toString();
  for (const part of ["<pdfuaid:part>1</pdfuaid:part>", "<pdfaid:part>3</pdfaid:part>", "<pdfaid:conformance>A</pdfaid:conformance>", "<dc:title>"]) check(metadata.includes(part), `no ${part}`);
  for (const reference of list(root["/AF"])) {
    const attached = get(reference);
    for (const key of ["/F", "/UF", "/Desc", "/AFRelationship"]) check(key in attached, `the attachment has no ${key}`);
  }

  /** The places of content on pages, each as `page mcid`. */
  const marked = new Set();
  const annotations = new Set();
  const parents = new Map();
  const numbers = (node) => [...(get(node)["/Nums"] ?? []), ...(get(node)["/Kids"] ?? []).flatMap(numbers)];
  const pairs = numbers(get(root["/StructTreeRoot"])["/ParentTree"]);
  for (let at = 0; at < pairs.length; at += 2) parents.set(pairs[at], get(pairs[at + 1]));

  for (const page of list(get(root["/Pages"])["/Kids"])) readPage(page);

  function readPage(reference) {
    const page = get(reference);
    if ("/Kids" in page) return page["/Kids"].forEach(readPage);
    check(page["/Tabs"] === "/S", "the order of links is not that of the structure");
    for (const annotation of list(page["/Annots"])) {
      annotations.add(annotation);
      const { "/Contents": text, "/StructParent": parent } = get(annotation);
      check(/^u:./.test(text), "a link has no text");
      check(parents.has(parent), "a link has no parent");
    }
    const content = list(page["/Contents"]).map((part) => bytesOf(part).toString("latin1"));
    const open = [];
    let operands = [];
    for (const [token] of content.join("\n").matchAll(TOKENS)) {
      if (token === "BDC" || token === "BMC") {
        const at = operands.indexOf("/MCID");
        const mcid = at < 0 ? null : Number(operands[at + 1]);
        check(mcid === null || !open.some((one) => one.mcid !== null || one.tag === "/Artifact"), "content is tagged twice");
        if (mcid !== null) marked.add(`${reference} ${mcid}`);
        open.push({ tag: operands[0], mcid });
      } else if (token === "EMC") {
        open.pop();
      } else if (PAINTS.has(token)) {
        check(
          open.some(({ tag, mcid }) => mcid !== null || tag === "/Artifact"),
          `${token} paints outside of tags`,
        );
      } else {
        operands.push(token);
        continue;
      }
      operands = [];
    }
  }

  const tags = [];
  const used = new Set();
  let level = 0;
  readTag(list(get(root["/StructTreeRoot"])["/K"])[0], null);

  function readTag(reference, parent) {
    const tag = get(reference);
    const name = tag["/S"].slice(1);
    tags.push(name);
    check(parent === null ? name === "Document" : INSIDE[parent]?.includes(name), `${name} is inside of ${parent}`);
    const attributes = Object.assign({}, ...list(tag["/A"]).map(get));
    if (/^H\d$/.test(name)) {
      check(Number(name[1]) <= level + 1, `${name} follows H${level}`);
      level = Number(name[1]);
    }
    if (name === "Figure") check(/^u:./.test(tag["/Alt"]) && "/BBox" in attributes, "a figure has no text or no place");
    if (name === "TH") check(attributes["/Scope"] === "/Column", "a head of a table has no scope");
    if (name === "L") check("/ListNumbering" in attributes, "a list has no kind");
    const kids = list(tag["/K"]);
    check(kids.length > 0, `${name} is empty`);
    for (const kid of kids) {
      const value = get(kid);
      if (typeof value === "number" || value["/Type"] === "/MCR") {
        const [page, mcid] = typeof value === "number" ? [tag["/Pg"], value] : [value["/Pg"] ?? tag["/Pg"], value["/MCID"]];
        check(WITH_CONTENT.has(name), `${name} has content`);
        check(!used.has(`${page} ${mcid}`), "content has two parents");
        used.add(`${page} ${mcid}`);
        check(parents.get(get(page)["/StructParents"])?.[mcid] === reference, "the tree of parents names another parent");
      } else if (value["/Type"] === "/OBJR") {
        check(name === "Link", `a link is inside of ${name}`);
        check(annotations.delete(value["/Obj"]), "a link is there twice, or on no page");
        check(parents.get(get(value["/Obj"])["/StructParent"]) === tag, "the tree of parents names another parent of a link");
      } else {
        readTag(kid, name);
      }
    }
  }
  check(annotations.size === 0, "a link is not in the structure");
  check(used.size === marked.size && [...used].every((place) => marked.has(place)), "structure and content differ");
  return { tags, problems: [...new Set(problems)] };
}
