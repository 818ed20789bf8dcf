//! The texts of a sheet in the languages of the pages. A test compares them with `pkg/view/texts`.

/// A language of the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 4] = [Self::English, Self::German, Self::French, Self::Spanish];

    /// Returns the tag, such as `de`.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
        }
    }

    /// Returns the language of a tag.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.tag() == tag)
    }

    pub(crate) fn texts(self) -> &'static Texts {
        match self {
            Self::English => &ENGLISH,
            Self::German => &GERMAN,
            Self::French => &FRENCH,
            Self::Spanish => &SPANISH,
        }
    }
}

/// The texts of a language. Words in braces are places for values.
pub(crate) struct Texts {
    pub(crate) untitled: &'static str,
    pub(crate) item: &'static str,
    pub(crate) issued_on: &'static str,
    pub(crate) hidden: &'static str,
    pub(crate) unnamed_issuer: &'static str,
    pub(crate) qr: &'static str,
    pub(crate) picture: &'static str,
    pub(crate) check: &'static str,
    pub(crate) check_public: &'static str,
    pub(crate) number: &'static str,
    pub(crate) signature: &'static str,
    pub(crate) yes: &'static str,
    pub(crate) no: &'static str,
    /// The word before the last item of a list.
    pub(crate) and: &'static str,
    pub(crate) months: [&'static str; 12],
    /// A day, with the places `{day}`, `{month}` and `{year}`.
    pub(crate) day: &'static str,
    /// The words between a day and a time.
    pub(crate) at: &'static str,
    /// The sign before the decimals of a number, and the one between groups of three digits.
    pub(crate) decimal: &'static str,
    pub(crate) group: &'static str,
}

const ENGLISH: Texts = Texts {
    untitled: "Certificate",
    item: "Entry",
    issued_on: "Recorded on {date}",
    hidden: "Not shown: {fields}.",
    unnamed_issuer: "Issuer not confirmed",
    qr: "QR code with the address of this certificate",
    picture: "Picture of this certificate",
    check: "Check before you rely on it: scan the code, or open {host} yourself and scan it there. The page shows the certified values. Compare them with this paper.",
    check_public: "Check before you rely on it: open {host} yourself. The code shows only what is public. Values that the page does not show are not confirmed: ask the holder for their link.",
    number: "No. {number}",
    signature: "Signature",
    yes: "Yes",
    no: "No",
    and: "and",
    months: [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    day: "{day} {month} {year}",
    at: " at ",
    decimal: ".",
    group: ",",
};

const GERMAN: Texts = Texts {
    untitled: "Zertifikat",
    item: "Eintrag",
    issued_on: "Eingetragen am {date}",
    hidden: "Nicht gezeigt: {fields}.",
    unnamed_issuer: "Aussteller nicht bestätigt",
    qr: "QR-Code mit der Adresse dieses Zertifikats",
    picture: "Bild dieses Zertifikats",
    check: "Prüfen Sie, bevor Sie sich darauf verlassen: Scannen Sie den Code, oder öffnen Sie selbst {host} und scannen Sie ihn dort. Die Seite zeigt die bescheinigten Werte. Vergleichen Sie sie mit diesem Papier.",
    check_public: "Prüfen Sie, bevor Sie sich darauf verlassen: Öffnen Sie selbst {host}. Der Code zeigt nur, was öffentlich ist. Werte, die die Seite nicht zeigt, sind nicht bestätigt: Bitten Sie um den Link der Inhaberin oder des Inhabers.",
    number: "Nr. {number}",
    signature: "Unterschrift",
    yes: "Ja",
    no: "Nein",
    and: "und",
    months: [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    day: "{day}. {month} {year}",
    at: " um ",
    decimal: ",",
    group: ".",
};

const FRENCH: Texts = Texts {
    untitled: "Certificat",
    item: "Élément",
    issued_on: "Inscrit le {date}",
    hidden: "Non affiché : {fields}.",
    unnamed_issuer: "Émetteur non confirmé",
    qr: "Code QR avec l’adresse de ce certificat",
    picture: "Image de ce certificat",
    check: "Vérifiez avant de vous y fier : scannez le code, ou ouvrez vous-même {host} et scannez-le là. La page montre les valeurs certifiées. Comparez-les avec ce papier.",
    check_public: "Vérifiez avant de vous y fier : ouvrez vous-même {host}. Le code ne montre que ce qui est public. Les valeurs que la page ne montre pas ne sont pas confirmées : demandez son lien au titulaire.",
    number: "N° {number}",
    signature: "Signature",
    yes: "Oui",
    no: "Non",
    and: "et",
    months: [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    day: "{day} {month} {year}",
    at: " à ",
    decimal: ",",
    group: "\u{202f}",
};

const SPANISH: Texts = Texts {
    untitled: "Certificado",
    item: "Elemento",
    issued_on: "Inscrito el {date}",
    hidden: "No se muestra: {fields}.",
    unnamed_issuer: "Emisor no confirmado",
    qr: "Código QR con la dirección de este certificado",
    picture: "Imagen de este certificado",
    check: "Compruebe antes de confiar: escanee el código, o abra usted {host} y escanéelo allí. La página muestra los valores certificados. Compárelos con este papel.",
    check_public: "Compruebe antes de confiar: abra usted {host}. El código solo muestra lo público. Los valores que la página no muestra no están confirmados: pida su enlace a la persona titular.",
    number: "N.º {number}",
    signature: "Firma",
    yes: "Sí",
    no: "No",
    and: "y",
    months: [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    day: "{day} de {month} de {year}",
    at: " a las ",
    decimal: ",",
    group: ".",
};

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn texts_are_those_of_the_pages() {
        for language in Language::ALL {
            let file = format!("../pkg/view/texts/{}.json", language.tag());
            let all: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
            let texts = language.texts();
            for (key, text) in [
                ("/certificate/untitled", texts.untitled),
                ("/certificate/item", texts.item),
                ("/certificate/issuedOn", texts.issued_on),
                ("/certificate/hidden", texts.hidden),
                ("/certificate/unnamedIssuer", texts.unnamed_issuer),
                ("/certificate/qr", texts.qr),
                ("/certificate/picture", texts.picture),
                ("/paper/check", texts.check),
                ("/paper/checkPublic", texts.check_public),
                ("/paper/number", texts.number),
                ("/paper/signature", texts.signature),
                ("/common/yes", texts.yes),
                ("/common/no", texts.no),
            ] {
                let known = all.pointer(key).and_then(Value::as_str);
                assert_eq!(known, Some(text), "{} {key}", language.tag());
            }
        }
    }
}
