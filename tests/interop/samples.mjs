// Badges and status lists of the form that docs/spec/badge.md specifies, with all kinds of texts.
const DID = "did:web:uni.example";
const PAGE = "https://certs.example/c/0x137b1d156156b8813ecb6ee9370c7e2d40d7f7ed/17";
const STATUS_LIST = "https://certs.example/status/0x137b1d156156b8813ecb6ee9370c7e2d40d7f7ed/0";
const CONTEXT = ["https://www.w3.org/ns/credentials/v2", "https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json", "https://purl.imsglobal.org/spec/ob/v3p0/extensions.json"];

/** Texts that canonicalization, JSON or pages could change. */
export const TEXTS = [
  "Applied Cryptography",
  "Ünïcode \u{1F393} ﷽ 漢字",
  'quotes " and \\ back',
  "tab\tline\nreturn\rform\fback\b",
  "controls \u0000\u0001\u001f\u007f\u0080",
  "<b>&amp;</b> _:c14n0 <x> .",
  "\u2028\u2029\ufeff\uffff",
  "e\u0301 \u202e",
];

/** The issuer's key in `did.json`. */
export const KEY = { id: `${DID}#vc-2026`, controller: DID, date: "2026-07-01T12:00:00Z" };

/** Returns a badge without a proof. The flags select its optional members, and `text()` returns its texts. */
export const badge = ({ email, grade, image, until, link, status }, text) => ({
  "@context": CONTEXT,
  id: "urn:uuid:6b1f2c3d-4e5f-8a6b-9c7d-8e9f0a1b2c3d",
  type: ["VerifiableCredential", "OpenBadgeCredential"],
  name: text(),
  issuer: { id: DID, type: ["Profile"], name: `University ${text()}`, url: "https://uni.example/" },
  validFrom: "2026-06-30T00:00:00Z",
  ...(until ? { validUntil: "2029-06-30T23:59:59Z" } : {}),
  credentialSubject: {
    id: "urn:uuid:7b1f2c3d-4e5f-8a6b-9c7d-8e9f0a1b2c3d",
    type: ["AchievementSubject"],
    ...(email ? { identifier: [{ type: "IdentityObject", hashed: true, identityType: "emailAddress", identityHash: "sha256$0a", salt: text() }] } : {}),
    ...(grade ? { result: [{ id: `${PAGE}#result`, type: ["Result"], resultDescription: `${PAGE}#grade`, value: text() }] } : {}),
    achievement: {
      id: `${PAGE}#achievement`,
      type: ["Achievement"],
      achievementType: "Course",
      name: text(),
      description: `${text()} described`,
      criteria: { id: `${PAGE}#criteria`, narrative: `${text()} narrated` },
      ...(image ? { image: { id: "data:image/png;base64,iVBORw0KGgo=", type: "Image" } } : {}),
      ...(grade ? { resultDescription: [{ id: `${PAGE}#grade`, type: ["ResultDescription"], name: `Grade ${text()}`, resultType: "LetterGrade" }] } : {}),
    },
  },
  evidence: [{ id: link ? `${PAGE}#1eJw_-` : PAGE, type: ["Evidence"], name: "Certificate on the ledger", description: "aih2:be80" }],
  ...(status
    ? {
        credentialStatus: {
          id: `${STATUS_LIST}#4711`,
          type: "BitstringStatusListEntry",
          statusPurpose: "revocation",
          statusListIndex: "4711",
          statusListCredential: STATUS_LIST,
        },
      }
    : {}),
  credentialSchema: [{ id: "https://purl.imsglobal.org/spec/ob/v3p0/schema/json/ob_v3p0_achievementcredential_schema.json", type: "1EdTechJsonSchemaValidator2019" }],
});

/** Returns the flags of a number: each bit selects two members, one if it is set and one if it is not. */
export const flags = (number) => ({ email: number & 1, until: !(number & 1), grade: number & 2, link: !(number & 2), image: number & 4, status: !(number & 4) });

/** The service's key in its `did.json`. */
export const SERVICE_KEY = { id: "did:web:certs.example#status-1", controller: "did:web:certs.example", date: "2026-07-01T12:00:00Z" };

/** Returns a status list without a proof. `encodedList` has the bits. */
export const statusList = (encodedList) => ({
  "@context": CONTEXT.slice(0, 1),
  id: STATUS_LIST,
  type: ["VerifiableCredential", "BitstringStatusListCredential"],
  issuer: SERVICE_KEY.controller,
  validFrom: "2026-07-01T12:00:00Z",
  validUntil: "2026-07-02T12:00:00Z",
  credentialSubject: { id: `${STATUS_LIST}#list`, type: "BitstringStatusList", statusPurpose: "revocation", encodedList },
});
