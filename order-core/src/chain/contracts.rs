//! The contracts' functions, events and structures, as Solidity declares them.
//!
//! Sources: the 0xcert contracts, version 2.0.2; Multicall3; the OP Stack's specification of predeploys. Tests compare each selector and
//! topic with the ABI of the contracts (`tests/vectors/claims/abi.json`).
//!
//! Answers declare texts as `bytes`, because contracts store any bytes. The encoding is the same, and answers are not part of a selector.

use alloy_sol_types::sol;

sol! {
    struct Signature {
        bytes32 r;
        bytes32 s;
        uint8 v;
        uint8 kind;
    }

    struct Action {
        uint32 proxyId;
        address contractAddress;
        bytes params;
    }

    struct Order {
        address[] signers;
        Action[] actions;
        uint256 seed;
        uint256 expiration;
    }

    struct Payment {
        address token;
        address to;
        uint256 value;
    }

    struct LedgerData {
        string name;
        string symbol;
        string uriPrefix;
        string uriPostfix;
        bytes32 schemaId;
        bytes4[] capabilities;
        address owner;
    }

    struct Deployment {
        address maker;
        address taker;
        LedgerData ledger;
        Payment payment;
        uint256 seed;
        uint256 expiration;
    }

    /// Encoded like `LedgerData`. Any sender can deploy a ledger with texts that are not UTF-8.
    struct LedgerInput {
        bytes name;
        bytes symbol;
        bytes uriPrefix;
        bytes uriPostfix;
        bytes32 schemaId;
        bytes4[] capabilities;
        address owner;
    }

    /// Encoded like `Deployment`.
    struct DeploymentInput {
        address maker;
        address taker;
        LedgerInput ledger;
        Payment payment;
        uint256 seed;
        uint256 expiration;
    }

    /// The gateway that performs orders.
    interface ActionsGateway {
        event Perform(bytes32 indexed claim);
        event Cancel(bytes32 indexed claim);
        event ProxyChange(uint256 indexed index, address proxy);
        event SetAbilities(address indexed target, uint256 indexed abilities);

        function perform(Order order, Signature[] signatures);
        function cancel(Order order);
        function orderPerformed(bytes32 claim) returns (bool);
        function orderCancelled(bytes32 claim) returns (bool);
        function proxies(uint256 index) returns (address proxyAddress, uint8 kind);
    }

    /// The gateway that performs deployments.
    interface DeployGateway {
        event Perform(address indexed maker, address indexed taker, address createdContract, bytes32 claim);
        event Cancel(address indexed maker, address indexed taker, bytes32 claim);
        event ProxyChange(address proxy);
        event SetAbilities(address indexed target, uint256 indexed abilities);

        function perform(Deployment deployment, Signature signature);
        function performAnyTaker(Deployment deployment, Signature signature);
        function cancel(Deployment deployment);
        function deployPerformed(bytes32 claim) returns (bool);
        function deployCancelled(bytes32 claim) returns (bool);
        function xcertDeployProxy() returns (address);
        function tokenTransferProxy() returns (address);
        function xcertCreateProxy() returns (address);
        function xcertUpdateProxy() returns (address);
        function abilitableManageProxy() returns (address);
        function nftSafeTransferProxy() returns (address);
        function xcertBurnProxy() returns (address);
    }

    /// An asset ledger.
    interface Xcert {
        event Transfer(address indexed from, address indexed to, uint256 indexed id);
        event TokenURIIntegrityDigestUpdate(uint256 indexed id, bytes32 imprint);
        event SetAbilities(address indexed target, uint256 indexed abilities);

        function setApprovalForAllWithSignature(
            address owner, address operator, bool approved, address feeToken, uint256 feeValue,
            address feeRecipient, uint256 seed, uint256 expiration, Signature signature
        );
        function cancelSetApprovalForAllWithSignature(
            address owner, address operator, bool approved, address feeToken, uint256 feeValue,
            address feeRecipient, uint256 seed, uint256 expiration
        );
        function claimPerformed(bytes32 claim) returns (bool);
        function claimCancelled(bytes32 claim) returns (bool);
        function ownerOf(uint256 id) returns (address);
        function getApproved(uint256 id) returns (address);
        function isApprovedForAll(address owner, address operator) returns (bool);
        function addressToAbility(address account) returns (uint256);
        function tokenURI(uint256 id) returns (bytes);
        function tokenURIIntegrity(uint256 id) returns (bytes digest, bytes hashAlgorithm);
        function name() returns (bytes);
        function symbol() returns (bytes);
        function uriPrefix() returns (bytes);
        function uriPostfix() returns (bytes);
        function supportsInterface(bytes4 id) returns (bool);
        function totalSupply() returns (uint256);
    }

    /// The platform token.
    interface Token {
        event Transfer(address indexed from, address indexed to, uint256 value);

        function approveWithSignature(
            address approver, address spender, uint256 value, address feeRecipient, uint256 feeValue,
            uint256 seed, uint256 expiration, Signature signature
        );
        function cancelApproveWithSignature(
            address spender, uint256 value, address feeRecipient, uint256 feeValue, uint256 seed, uint256 expiration
        );
        function balanceOf(address owner) returns (uint256);
        function allowance(address owner, address spender) returns (uint256);
        function whitelistedRecipients(address account) returns (bool);
    }

    struct MulticallCall {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct MulticallResult {
        bool success;
        bytes returnData;
    }

    interface Multicall3 {
        function aggregate3(MulticallCall[] calls) returns (MulticallResult[]);
    }

    /// The contract that knows the fee of layer 1, on chains of Optimism's kind.
    interface GasPriceOracle {
        function getL1Fee(bytes transaction) returns (uint256);
    }
}
