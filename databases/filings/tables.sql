-- The five tables as an agent sees them, empty. The real filings and the generated twin fill the same ones.

CREATE TABLE companies (
    cik VARCHAR NOT NULL,
    company_name VARCHAR NOT NULL,
    fiscal_year_end VARCHAR,
    sic VARCHAR,
    industry VARCHAR,
    state_of_incorporation VARCHAR,
    filer_category VARCHAR,
    exchange VARCHAR,
    ticker VARCHAR
);

CREATE TABLE filings (
    filing_id VARCHAR NOT NULL,
    cik VARCHAR NOT NULL,
    form VARCHAR NOT NULL,
    fiscal_year INTEGER,
    fiscal_period VARCHAR,
    period_end DATE,
    filed_on DATE,
    accession_number VARCHAR
);

CREATE TABLE concepts (
    concept VARCHAR NOT NULL,
    taxonomy VARCHAR NOT NULL,
    label VARCHAR NOT NULL,
    description VARCHAR,
    period_type VARCHAR NOT NULL,
    unit_kind VARCHAR NOT NULL
);

CREATE TABLE facts (
    fact_id BIGINT NOT NULL,
    cik VARCHAR NOT NULL,
    concept VARCHAR NOT NULL,
    period_type VARCHAR NOT NULL,
    period_start DATE,
    period_end DATE NOT NULL,
    fiscal_year INTEGER,
    fiscal_period VARCHAR,
    value DOUBLE,
    value_text VARCHAR,
    unit VARCHAR,
    decimals INTEGER,
    dimension_count INTEGER NOT NULL,
    filing_id VARCHAR NOT NULL
);

CREATE TABLE dimensions (
    fact_id BIGINT NOT NULL,
    cik VARCHAR NOT NULL,
    axis VARCHAR NOT NULL,
    member VARCHAR NOT NULL
);

COMMENT ON TABLE companies IS 'Companies that report to the regulator. One row per company.';
COMMENT ON COLUMN companies.cik IS 'Identifies the company (its number at the regulator, without leading zeros); filings.cik, facts.cik and dimensions.cik refer to it.';
COMMENT ON COLUMN companies.company_name IS 'Name of the company as registered.';
COMMENT ON COLUMN companies.fiscal_year_end IS 'Month and day on which the fiscal year ends, as MM-DD; it may move by some days from year to year. NULL = not stated.';
COMMENT ON COLUMN companies.sic IS 'Standard industrial classification, four digits. NULL = not stated in the source.';
COMMENT ON COLUMN companies.industry IS 'What the classification stands for, in words. NULL = not stated in the source.';
COMMENT ON COLUMN companies.state_of_incorporation IS 'State or country of incorporation, as a code. NULL = not stated in the source.';
COMMENT ON COLUMN companies.filer_category IS 'Size class of the filer at the regulator. NULL = not stated in the source.';
COMMENT ON COLUMN companies.exchange IS 'Exchange where the first class of its securities is listed. NULL = not stated in the source.';
COMMENT ON COLUMN companies.ticker IS 'Trading symbol of the first class of its securities. NULL = not stated in the source.';

COMMENT ON TABLE filings IS 'Reports from which the facts are taken. One row per report.';
COMMENT ON COLUMN filings.filing_id IS 'Identifies the report; facts.filing_id refers to it.';
COMMENT ON COLUMN filings.cik IS 'Company that reports; refers to companies.cik.';
COMMENT ON COLUMN filings.form IS 'Kind of report: 10-K (annual), 10-Q (quarterly), with /A where it amends another.';
COMMENT ON COLUMN filings.fiscal_year IS 'Fiscal year that the report is about, by the company''s own count. NULL = not stated.';
COMMENT ON COLUMN filings.fiscal_period IS 'Part of the fiscal year that the report is about: FY (all of it), Q1, Q2, Q3. NULL = not stated.';
COMMENT ON COLUMN filings.period_end IS 'Last day of the period that the report is about. NULL = not stated.';
COMMENT ON COLUMN filings.filed_on IS 'Day on which the report was filed. NULL = not stated in the source.';
COMMENT ON COLUMN filings.accession_number IS 'Number of the report at the regulator. NULL = not stated in the source.';

COMMENT ON TABLE concepts IS 'What facts are about: line items of the statements, figures of the notes, particulars of the company. One row per concept that a fact uses.';
COMMENT ON COLUMN concepts.concept IS 'Identifies the concept, as taxonomy:Name; facts.concept refers to it.';
COMMENT ON COLUMN concepts.taxonomy IS 'Taxonomy that defines it: us-gaap (accounting), dei (particulars of report and company), srt, ecd, cyd (regulator), or a company''s own, which no other company uses.';
COMMENT ON COLUMN concepts.label IS 'The concept in words.';
COMMENT ON COLUMN concepts.description IS 'What the taxonomy says that it means. NULL = not in the source.';
COMMENT ON COLUMN concepts.period_type IS 'duration (over a period: revenue), instant (on a day: assets).';
COMMENT ON COLUMN concepts.unit_kind IS 'What its values are: money, shares, money per share, ratio (a pure number; 0.25 is 25 per cent), other, text (also dates, true and false, lengths of time).';

COMMENT ON TABLE facts IS 'Reported facts. One row per company, concept, period, unit, set of dimensions and value, under the report that stated it first; a value that a later report restates has a row of its own. Sorted by company, concept and period.';
COMMENT ON COLUMN facts.fact_id IS 'Identifies the fact; dimensions.fact_id refers to it.';
COMMENT ON COLUMN facts.cik IS 'Company; refers to companies.cik.';
COMMENT ON COLUMN facts.concept IS 'What the fact is about; refers to concepts.concept.';
COMMENT ON COLUMN facts.period_type IS 'duration (from period_start to period_end) or instant (at the end of period_end).';
COMMENT ON COLUMN facts.period_start IS 'First day of the period. NULL = the fact is of an instant.';
COMMENT ON COLUMN facts.period_end IS 'Last day of the period, or the day of the instant.';
COMMENT ON COLUMN facts.fiscal_year IS 'Fiscal year, by the company''s own count, in which the period ends. NULL = not known.';
COMMENT ON COLUMN facts.fiscal_period IS 'FY = the whole fiscal year, Q1 to Q4 = that quarter alone, H1 = its first half, 9M = its first nine months; of an instant, the end of FY, Q1, Q2 or Q3. NULL = any other period.';
COMMENT ON COLUMN facts.value IS 'The value in whole units (dollars, not millions); percentages as fractions. Sign as the concept defines it: costs are positive. NULL = the fact is a text, or the report says that there is no value.';
COMMENT ON COLUMN facts.value_text IS 'The value of a text; dates as YYYY-MM-DD, lengths of time as P2Y6M. NULL = the fact is a number, or has no value.';
COMMENT ON COLUMN facts.unit IS 'Unit of the number: USD, shares, USD/shares, pure, ... NULL = the fact is a text.';
COMMENT ON COLUMN facts.decimals IS 'Place to which the value was rounded: -6 = to millions, 2 = to hundredths. NULL = exact, not stated, or a text.';
COMMENT ON COLUMN facts.dimension_count IS 'How many rows of dimensions narrow the fact; 0 = it is about the whole company.';
COMMENT ON COLUMN facts.filing_id IS 'Report that stated it first; refers to filings.filing_id.';

COMMENT ON TABLE dimensions IS 'What narrows a fact to a part of the company: a segment, a region, a product, a class of shares. One row per fact and axis; none for facts about the whole company.';
COMMENT ON COLUMN dimensions.fact_id IS 'The fact that is narrowed; refers to facts.fact_id.';
COMMENT ON COLUMN dimensions.cik IS 'Company of the fact; refers to companies.cik.';
COMMENT ON COLUMN dimensions.axis IS 'By what it is narrowed, as taxonomy:Name: us-gaap:StatementBusinessSegmentsAxis, srt:ProductOrServiceAxis, ...';
COMMENT ON COLUMN dimensions.member IS 'To which part, as taxonomy:Name; parts that overlap or contain one another occur under one axis.';
