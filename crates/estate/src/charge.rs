//! Charges: the lines of a bill, as FOCUS has them (FinOps Open Cost and Usage Specification, 1.0
//! to 1.2).
//!
//! Amounts are exact decimals of one currency each and are never added across currencies. [`focus`]
//! reads a line by its columns' names; what a file leaves out is missing here, never zero.

mod amount;
pub mod focus;
mod resource_key;
mod restated;

use std::sync::Arc;

pub use amount::{Amount, AmountError};
pub use resource_key::resource_key;
pub use restated::Restatements;

use crate::named;

named!(
    /// Category of a charge (FOCUS: ChargeCategory).
    ChargeCategory {
        Usage => "Usage",
        /// Purchase: a commitment, a licence, a subscription.
        Purchase => "Purchase",
        /// Taxes of an authority.
        Tax => "Tax",
        /// A voucher, a promotion, an incentive; mostly negative.
        Credit => "Credit",
        /// Rounding, refunds and whatever is none of the others.
        Adjustment => "Adjustment",
    }
);

named!(
    /// Pricing model of a charge (FOCUS: PricingCategory).
    PricingCategory {
        /// At the agreed price: on demand.
        Standard => "Standard",
        /// At a price that varies: spot.
        Dynamic => "Dynamic",
        /// Under a commitment discount.
        Committed => "Committed",
        /// A model that FOCUS does not define.
        Other => "Other",
    }
);

named!(
    /// Use of a commitment (FOCUS: CommitmentDiscountStatus).
    CommitmentStatus {
        Used => "Used",
        /// Paid for and left.
        Unused => "Unused",
    }
);

/// A line of a bill.
#[derive(Debug, Clone, PartialEq)]
pub struct Charge {
    /// Provider of the service.
    pub provider: Option<Arc<str>>,
    /// Service, as the provider names it.
    pub service: Option<Arc<str>>,
    /// The kind of service: `Compute`, `Storage`.
    pub service_category: Option<Arc<str>>,
    /// Account that pays the invoice (FOCUS: BillingAccountId).
    pub account: Option<Arc<str>>,
    /// Within that account: an AWS account, an Azure subscription, a Google project.
    pub sub_account: Option<Arc<str>>,
    /// Display name of the sub-account.
    pub sub_account_name: Option<Arc<str>>,
    /// Identifier of the region (FOCUS: RegionId).
    pub region: Option<Arc<str>>,
    /// Identifier of the resource (FOCUS: ResourceId).
    pub resource: Option<Arc<str>>,
    /// Kind of the resource, in the provider's words.
    pub resource_type: Option<Arc<str>>,
    /// Category of the charge.
    pub category: ChargeCategory,
    /// `true` if it corrects a charge of a closed bill (FOCUS: ChargeClass).
    pub correction: bool,
    /// First millisecond since the epoch that it is for.
    pub start_ms: i64,
    /// The first after it; never before the start.
    pub end_ms: i64,
    /// First millisecond of the billing period, where the file says it.
    pub billing_start_ms: Option<i64>,
    /// The currency of its amounts.
    pub currency: Arc<str>,
    /// Cost on the invoice.
    pub billed: Amount,
    /// Cost after discounts, with prepayments spread over the usage that they cover.
    pub effective: Option<Amount>,
    /// Cost at public prices.
    pub list: Option<Amount>,
    /// At negotiated prices, before commitments.
    pub contracted: Option<Amount>,
    /// Pricing model; `None` where the file does not say.
    pub pricing: Option<PricingCategory>,
    /// Consumed quantity, in the unit of consumption.
    pub consumed: Option<Amount>,
    /// The unit of what was consumed.
    pub unit: Option<Arc<str>>,
    /// The commitment that it was paid with, or that was bought.
    pub commitment: Option<Arc<str>>,
    /// Use of the commitment.
    pub commitment_status: Option<CommitmentStatus>,
    /// Description of the product, in the provider's words.
    pub description: Option<Arc<str>>,
    /// The provider's identifier of what was sold.
    pub sku: Option<Arc<str>>,
    /// Tags; nothing where the file has no such column.
    pub tags: Option<Arc<[(String, String)]>>,
}

impl Charge {
    /// Returns the cost after discounts, or the invoiced amount if the file does not give it.
    #[must_use]
    pub fn cost(&self) -> Amount {
        self.effective.unwrap_or(self.billed)
    }
}
