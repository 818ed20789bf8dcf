"""Writes the OpenDocument spreadsheets of this folder: `pip install odfpy==1.4.1`, then `python ods.py`."""

from odf.opendocument import OpenDocumentSpreadsheet
from odf.style import Style, TableProperties
from odf.table import CoveredTableCell, Table, TableCell, TableRow
from odf.text import LineBreak, P, S
from odf.office import Annotation


def text(value):
    cell = TableCell(valuetype="string")
    for line in value.split("\n"):
        cell.addElement(P(text=line))
    return cell


def value(kind, shown, **attributes):
    cell = TableCell(valuetype=kind, **attributes)
    cell.addElement(P(text=shown))
    return cell


def row(*cells, **attributes):
    made = TableRow(**attributes)
    for cell in cells:
        made.addElement(cell)
    return made


def save(name, *tables, styles=()):
    document = OpenDocumentSpreadsheet()
    for style in styles:
        document.automaticstyles.addElement(style)
    for table in tables:
        document.spreadsheet.addElement(table)
    document.save(name)


def table(name, *rows, **attributes):
    made = Table(name=name, **attributes)
    for one in rows:
        made.addElement(one)
    return made


names = ["name", "date", "number", "part", "code", "passed", "at", "time", "sum", "count"]
spaced = TableCell(valuetype="string")
line = P(text="a ")
line.addElement(S(c=2))
line.addText("b")
line.addElement(LineBreak())
line.addText("c & d")
spaced.addElement(line)
noted = TableCell(valuetype="string")
note = Annotation()
note.addElement(P(text="a comment"))
noted.addElement(note)
noted.addElement(P(text="Zoë; \"Ada\""))
save(
    "course.ods",
    table(
        "Teilnehmer",
        row(text("Kursliste")),
        row(TableCell(), numberrowsrepeated="1"),
        row(*map(text, names)),
        row(
            text("José Müller"),
            value("date", "03.11.26", datevalue="2026-11-03"),
            value("float", "24,50", value="24.5"),
            value("percentage", "24,5 %", value="0.245"),
            value("float", "00007", value="7"),
            value("boolean", "WAHR", booleanvalue="true"),
            value("date", "03.11.26 09:30", datevalue="2026-11-03T09:30:00"),
            value("time", "12:00", timevalue="PT12H00M00S"),
            value("float", "0,3", value="0.30000000000000004"),
            value("currency", "1,00 €", value="1", currency="EUR"),
        ),
        row(
            noted,
            value("date", "08.05.50", datevalue="1950-05-08T00:00:00"),
            spaced,
            TableCell(numbercolumnsrepeated="2"),
            text("false"),
            numberrowsrepeated="2",
        ),
        row(TableCell(numbercolumnsrepeated="1024"), numberrowsrepeated="1048570"),
    ),
)
hidden = Style(name="hidden", family="table")
hidden.addElement(TableProperties(display="false"))
save(
    "sheets.ods",
    table("Notes"),
    table("Spring", row(text("name")), row(text("Grace"))),
    table("Autumn", row(text("name"), text("term")), row(text("Ada"), text("Autumn"))),
    table("Secret", row(text("name")), row(text("Hidden")), stylename="hidden"),
    styles=[hidden],
)
merged = TableCell(valuetype="string", numbercolumnsspanned="2")
merged.addElement(P(text="Ada"))
save(
    "formula.ods",
    table(
        "a",
        row(text("name"), text("grade")),
        row(text("Ada"), TableCell(formula="of:=1+1")),
        row(text("Grace"), value("float", "2", value="2", formula="of:=1+1")),
        row(merged, CoveredTableCell(valuetype="string", stringvalue="covered")),
    ),
)
for name, repeats in [("far", {"numberrowsrepeated": "1048575"}), ("wide", {})]:
    columns = {"numbercolumnsrepeated": "16384"} if name == "wide" else {}
    cell = TableCell(valuetype="string", **columns)
    cell.addElement(P(text="x"))
    save(f"{name}.ods", table("a", row(text("name")), row(cell, **repeats)))
