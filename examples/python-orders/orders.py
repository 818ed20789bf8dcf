"""Claims and hashes of orders, deployments and approvals (docs/spec/orders.md)."""

from eth_hash.auto import keccak
from eth_keys import keys

# The proxies of action kinds. For ledgers that are configured for unsafe recipients, kind 2 has another proxy.
PROXIES = {1: 0, 2: 3, 3: 1, 4: 4, 5: 5, 6: 6}
UNSAFE_TRANSFER_PROXY = 2
CAPABILITIES = {1: "9d118770", 2: "0d04c3b8", 3: "bedb86fb", 4: "20c5429b"}
MILLISECONDS = 10**11


def uint(value, size=32):
    """Returns an integer as big-endian bytes. The integer may be given as a decimal or hexadecimal string."""
    number = int(value, 16 if value[:2] in ("0x", "0X") else 10) if isinstance(value, str) else value
    return number.to_bytes(size, "big")


def address(text):
    """Returns the 20 bytes of an account's address. An absent or empty address becomes the zero address."""
    if not text:
        return bytes(20)
    value = bytes.fromhex(text.removeprefix("0x"))
    if len(value) != 20 or not any(value):
        raise ValueError(f"`{text}` is not an account")
    return value


def hash32(text):
    value = bytes.fromhex(text.removeprefix("0x"))
    if len(value) != 32:
        raise ValueError(f"`{text}` does not have 32 bytes")
    return value


def seconds(expiration):
    return uint(expiration // 1000 if expiration >= MILLISECONDS else expiration)


# Hashes.


def order_hash(order, gateway, wildcard_signer=False, unsafe_ledgers=()):
    """Returns the hash of the member `order` of an `OrderRequest` (openapi.json). `gateway` is `gateway.actionsOrderId` of `GET /account`."""
    signers = [address(signer["accountId"]) for signer in order["signers"]]
    if wildcard_signer:
        signers.append(bytes(20))
    chain = bytes(32)
    for action in order["actions"]:
        chain = keccak(chain + action_bytes(action, signers, unsafe_ledgers))
    padded = b"".join(bytes(12) + signer for signer in signers)
    return keccak(address(gateway) + padded + chain + uint(order["seed"]) + seconds(order["expiration"]))


def action_bytes(action, signers, unsafe_ledgers):
    kind, ledger = action["kind"], address(action["ledgerId"])
    sender, receiver = address(action.get("senderId")), address(action.get("receiverId"))
    index = uint(signers.index(sender), 1)
    if kind in (1, 2, 3, 5) and sender == receiver == bytes(20):
        raise ValueError("an action has neither sender nor receiver")
    proxy = PROXIES[kind]
    if kind == 2 and ledger in map(address, unsafe_ledgers):
        proxy = UNSAFE_TRANSFER_PROXY
    match kind:
        case 1:
            parameters = hash32(action["assetImprint"]) + uint(action["assetId"]) + receiver
        case 2:
            parameters = uint(action["assetId"]) + receiver
        case 3:
            parameters = uint(action["value"]) + receiver
        case 4:
            parameters = hash32(action["assetImprint"]) + uint(action["assetId"])
        case 5:
            parameters = uint(sum(set(action["abilities"]))) + receiver
        case 6:
            parameters = uint(action["assetId"])
    return uint(proxy, 4) + ledger + parameters + index


def deployment_hash(deploy, gateway):
    """Returns the hash of the member `deploy` of a `DeploymentRequest`. `gateway` is `gateway.assetLedgerDeployOrderId` of `GET /account`."""
    data, transfer = deploy["assetLedgerData"], deploy["tokenTransferData"]
    text = data["name"] + data["symbol"] + data["uriPrefix"] + data["uriPostfix"]
    capabilities = b"".join(bytes.fromhex(CAPABILITIES[one]) + bytes(28) for one in data["capabilities"])
    ledger = keccak(text.encode() + hash32(data["schemaId"]) + capabilities + address(data["ownerId"]))
    fee = keccak(address(transfer["ledgerId"]) + address(transfer.get("receiverId")) + uint(transfer["value"]))
    accounts = address(gateway) + address(deploy["makerId"]) + address(deploy.get("takerId"))
    return keccak(accounts + ledger + fee + uint(deploy["seed"]) + seconds(deploy["expiration"]))


def approval_hash(approval):
    """Returns the hash of the member `approval` of an `ApprovalRequest`: for all assets (kind 7), or for a value (kind 8)."""
    end = uint(approval["seed"]) + seconds(approval["expiration"])
    first = address(approval["ledgerId"])
    if approval["kind"] == 7:
        fee = approval["tokenTransferData"]
        accounts = address(approval["owner"]) + address(approval["operator"]) + uint(int(approval["isOperator"]), 1)
        return keccak(first + accounts + address(fee["ledgerId"]) + uint(fee["value"]) + address(fee["receiverId"]) + end)
    accounts = address(approval["approver"]) + address(approval["spender"]) + uint(approval["value"])
    return keccak(first + accounts + address(approval["feeRecipient"]) + uint(approval["feeValue"]) + end)


# Claims.


def personal_message(text):
    """Returns the digest that a wallet signs for a string or for bytes."""
    data = text.encode() if isinstance(text, str) else text
    return keccak(b"\x19Ethereum Signed Message:\n" + str(len(data)).encode() + data)


class Account:
    """An account with its private key. Never write a real key into source code."""

    def __init__(self, private_key):
        self.key = keys.PrivateKey(bytes.fromhex(private_key.removeprefix("0x")))
        self.id = self.key.public_key.to_checksum_address()

    def claim(self, content):
        """Returns a claim: signs a string or a 32-byte hash, as `personal_sign` does."""
        signature = self.key.sign_msg_hash(personal_message(content))
        return f"3:0x{signature.r:064x}{signature.s:064x}{signature.v + 27:02x}"


def signer_of(claim, content):
    """Returns the account that signed. Raises `ValueError` if the claim is malformed or its numbers are out of range."""
    kind, _, text = claim.partition(":")
    value = bytes.fromhex(text.removeprefix("0x"))
    if kind not in ("0", "3") or len(value) != 65:
        raise ValueError("the claim has another kind or length")
    r, s, v = int.from_bytes(value[:32], "big"), int.from_bytes(value[32:64], "big"), value[64]
    v = v - 27 if v >= 27 else v
    if v not in (0, 1) or not 0 < r < ORDER or not 0 < s <= ORDER // 2:
        raise ValueError("the signature is outside its range")
    return keys.Signature(vrs=(v, r, s)).recover_public_key_from_msg_hash(personal_message(content)).to_checksum_address()


ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
