"""The concepts that generated companies report, with labels in words of our own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

GAAP: Final = "us-gaap"


@dataclass(frozen=True)
class Concept:
    """One line of the table concepts, and how often it is reported."""

    name: str
    """With its taxonomy."""
    label: str
    description: str
    is_instant: bool = False
    unit_kind: str = "money"
    quarterly: bool = False

    @property
    def taxonomy(self) -> str:
        """What defines it."""
        return self.name.split(":", maxsplit=1)[0]


def _over(name: str, label: str, description: str, *, quarterly: bool = False) -> Concept:
    return Concept(f"{GAAP}:{name}", label, description, quarterly=quarterly)


def _at(name: str, label: str, description: str) -> Concept:
    return Concept(f"{GAAP}:{name}", label, description, is_instant=True)


CONCEPTS: Final = {
    "revenue": _over("Revenues", "Revenues", "What was earned by selling goods and services, lending included.", quarterly=True),
    "cost": _over("CostOfRevenue", "Cost of revenue", "What the goods and services that were sold cost to make.", quarterly=True),
    "gross": _over("GrossProfit", "Gross profit", "Revenues less the cost of revenue.", quarterly=True),
    "research": _over("ResearchAndDevelopmentExpense", "Research and development", "Spent on finding and developing new products.", quarterly=True),
    "selling": _over("SellingGeneralAndAdministrativeExpense", "Selling, general and administrative", "Spent on selling and on running the company.", quarterly=True),
    "impairment": _over("GoodwillImpairmentLoss", "Goodwill impairment loss", "Goodwill that was written off."),
    "recall": _over("ProductLiabilityContingencyLossInPeriod", "Loss from a product recall", "Charged for taking products back."),
    "provision": _over("ProvisionForLoanAndLeaseLosses", "Provision for loan losses", "Set aside for loans that will not be paid back."),
    "operating": _over("OperatingIncomeLoss", "Operating income (loss)", "What is left of revenues after the costs of operating.", quarterly=True),
    "interest": _over("InterestExpense", "Interest expense", "Paid for borrowed money."),
    "before_tax": _over("IncomeLossFromContinuingOperationsBeforeIncomeTaxes", "Income (loss) before income taxes", "What is taxed: income before the taxes on it."),
    "tax": _over("IncomeTaxExpenseBenefit", "Income tax expense (benefit)", "Taxes on the income of the year."),
    "net": _over("NetIncomeLoss", "Net income (loss)", "What is left for the owners.", quarterly=True),
    "depreciation": _over("DepreciationDepletionAndAmortization", "Depreciation and amortization", "What buildings, machines and rights lost in value."),
    "stock_pay": _over("ShareBasedCompensation", "Share-based compensation", "Pay in shares."),
    "eps": Concept(f"{GAAP}:EarningsPerShareBasic", "Earnings per share, basic", "Net income per share.", unit_kind="money per share"),
    "shares": Concept(f"{GAAP}:WeightedAverageNumberOfSharesOutstandingBasic", "Weighted average shares, basic", "Shares outstanding on average over the year.", unit_kind="shares"),
    "cash": _at("CashAndCashEquivalentsAtCarryingValue", "Cash and cash equivalents", "Money at hand."),
    "receivable": _at("AccountsReceivableNetCurrent", "Accounts receivable, net", "Owed by customers."),
    "loans": _at("LoansAndLeasesReceivableNetReportedAmount", "Loans, net", "Lent to customers."),
    "inventory": _at("InventoryNet", "Inventory, net", "Goods on stock."),
    "plant": _at("PropertyPlantAndEquipmentNet", "Property, plant and equipment, net", "Land, buildings, machines."),
    "goodwill": _at("Goodwill", "Goodwill", "Paid for companies beyond what they own."),
    "other_assets": _at("OtherAssetsNoncurrent", "Other assets", "Assets that have no line of their own."),
    "assets": _at("Assets", "Total assets", "All that the company owns."),
    "payable": _at("AccountsPayableCurrent", "Accounts payable", "Owed to suppliers."),
    "deferred": _at("ContractWithCustomerLiabilityCurrent", "Deferred revenue", "Paid by customers in advance."),
    "deposits": _at("Deposits", "Deposits", "Money of customers."),
    "debt": _at("LongTermDebtNoncurrent", "Long-term debt", "Borrowed for longer than a year."),
    "other_liabilities": _at("OtherLiabilitiesNoncurrent", "Other liabilities", "Liabilities that have no line of their own."),
    "liabilities": _at("Liabilities", "Total liabilities", "All that the company owes."),
    "equity": _at("StockholdersEquity", "Stockholders' equity", "Assets less liabilities."),
    "both": _at("LiabilitiesAndStockholdersEquity", "Liabilities and stockholders' equity", "Equal to total assets."),
    "from_operating": _over("NetCashProvidedByUsedInOperatingActivities", "Cash from operating activities", "Cash that the operations brought in."),
    "capex": _over("PaymentsToAcquirePropertyPlantAndEquipment", "Capital expenditure", "Paid for land, buildings and machines."),
    "acquired": _over("PaymentsToAcquireBusinessesNetOfCashAcquired", "Acquisitions", "Paid for other companies."),
    "from_investing": _over("NetCashProvidedByUsedInInvestingActivities", "Cash from investing activities", "Cash that investing brought in; negative = it was paid."),
    "borrowed": _over("ProceedsFromIssuanceOfLongTermDebt", "Debt issued", "Borrowed in the year."),
    "repaid": _over("RepaymentsOfLongTermDebt", "Debt repaid", "Paid back in the year."),
    "dividends": _over("PaymentsOfDividends", "Dividends paid", "Paid to the owners."),
    "bought_back": _over("PaymentsForRepurchaseOfCommonStock", "Shares bought back", "Paid for own shares."),
    "from_financing": _over("NetCashProvidedByUsedInFinancingActivities", "Cash from financing activities", "Cash that borrowing and owners brought in; negative = it was paid."),
    "cash_change": _over("CashAndCashEquivalentsPeriodIncreaseDecrease", "Change in cash", "Cash at the end of the year less cash at its beginning."),
    "policy": Concept(f"{GAAP}:BasisOfAccountingPolicyPolicyTextBlock", "Basis of accounting", "How the statements were drawn up.", unit_kind="text"),
}  # fmt: skip
"""By the short name that the statements use."""

ALWAYS_TOLD: Final = frozenset(CONCEPTS) - {
    "impairment", "recall", "provision", "loans", "deposits", "inventory", "deferred", "research",
    "cost", "gross", "acquired", "borrowed", "repaid", "dividends", "bought_back", "policy",
}  # fmt: skip
"""Concepts whose zero is a fact; of the others a company reports those that it has."""

SEGMENTS: Final = "us-gaap:StatementBusinessSegmentsAxis"
PLACES: Final = "srt:StatementGeographicalAxis"
LINES: Final = "srt:ProductOrServiceAxis"
REGION_MEMBERS: Final = (
    "country:US", "srt:EuropeMember", "srt:AsiaPacificMember", "srt:LatinAmericaMember",
    "country:CA", "srt:MiddleEastMember",
)  # fmt: skip
SEGMENT_MEMBERS: Final = {
    "subscription": ("own:PlatformMember", "own:AnalyticsMember", "own:ServicesMember", "own:SecurityMember", "own:HardwareMember"),
    "manufacturer": ("own:ComponentsMember", "own:SystemsMember", "own:AftermarketMember", "own:ElectronicsMember", "own:ToolsMember"),
    "retailer": ("own:StoresMember", "own:OnlineMember", "own:WholesaleMember", "own:GroceryMember", "own:FranchiseMember"),
    "drug maker": ("own:OncologyMember", "own:VaccinesMember", "own:GenericsMember", "own:DevicesMember", "own:ConsumerHealthMember"),
    "bank": ("own:ConsumerBankingMember", "own:CommercialBankingMember", "own:WealthMember", "own:MarketsMember", "own:CardsMember"),
}  # fmt: skip
