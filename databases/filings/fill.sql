-- From raw_facts, raw_reports, periods and labels (all temporary) to facts, dimensions and concepts.

-- What a report says twice, once in the statements and once rounded in the text, is one fact: the more precise.
CREATE TEMP TABLE once AS
SELECT * FROM raw_facts
QUALIFY row_number() OVER (
    PARTITION BY cik, filing, concept, starts, ends, unit, dims ORDER BY precise DESC, number NULLS LAST, place
) = 1;

-- What several reports say alike is one fact, under the first of them.
CREATE TEMP TABLE firsts AS
SELECT o.*, r.filing_id, max(o.decimals) OVER same AS told
FROM once o JOIN raw_reports r ON r.key = o.filing
WINDOW same AS (PARTITION BY o.cik, o.concept, o.starts, o.ends, o.unit, o.dims, o.number, o.said)
QUALIFY row_number() OVER (
    PARTITION BY o.cik, o.concept, o.starts, o.ends, o.unit, o.dims, o.number, o.said
    ORDER BY coalesce(r.filed_on, r.period_end + 60), r.period_end, o.filing
) = 1;

CREATE TEMP TABLE numbered AS
SELECT row_number() OVER (
    ORDER BY length(cik), cik, concept, ends, starts NULLS FIRST, dims, unit NULLS FIRST, filing_id,
        number, said
) AS fact_id, *
FROM firsts;

INSERT INTO facts
SELECT n.fact_id, n.cik, n.concept, if(n.starts IS NULL, 'instant', 'duration'), n.starts, n.ends,
    p.year, p.part, n.number, n.said, n.unit,
    CASE WHEN n.told <> getvariable('exact') THEN n.told END,
    if(n.dims = '', 0, len(string_split(n.dims, chr(30)))), n.filing_id
FROM numbered n
LEFT JOIN periods p ON p.cik = n.cik AND p.ends = n.ends AND p.starts IS NOT DISTINCT FROM n.starts
ORDER BY n.fact_id;

INSERT INTO dimensions
SELECT fact_id, cik, string_split(pair, chr(31))[1], string_split(pair, chr(31))[2]
FROM (SELECT fact_id, cik, unnest(string_split(dims, chr(30))) AS pair FROM numbered WHERE dims <> '')
ORDER BY fact_id, pair;

INSERT INTO concepts
SELECT f.concept, string_split(f.concept, ':')[1], l.label, l.description, mode(f.period_type),
    mode(CASE
        WHEN f.unit IS NULL THEN 'text'
        WHEN regexp_full_match(f.unit, '[A-Z]{3}') THEN 'money'
        WHEN regexp_full_match(f.unit, '[A-Z]{3}/shares') THEN 'money per share'
        WHEN f.unit = 'shares' THEN 'shares'
        WHEN f.unit = 'pure' THEN 'ratio'
        ELSE 'other'
    END)
FROM facts f JOIN labels l USING (concept)
GROUP BY f.concept, l.label, l.description
ORDER BY f.concept;
